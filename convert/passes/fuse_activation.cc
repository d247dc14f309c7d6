// Activation functions by what they compute: a chain of elementwise nodes with one input x and scalar constants is evaluated
// at sample points and compared with the activations that the runtime has. So every spelling of GELU (erf or tanh, four ways
// to place the 0.5, Pow or products), SiLU, QuickGELU, Mish and HardSwish is found without a pattern of its own.
#include <algorithm>
#include <set>

#include "convert/interp/interpreter.h"
#include "convert/passes/match.h"
#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

using ert::kernels::Unary;

constexpr int kMaxChain = 16;
// GELU by erf and by tanh differ by 4.7e-4; constants rounded to half precision move a value by less than 1e-4.
constexpr float kTolerance = 1e-4f;
constexpr Unary kCandidates[] = {Unary::kGeluErf, Unary::kGeluTanh,  Unary::kSilu,     Unary::kQuickGelu,
                                 Unary::kMish,    Unary::kHardSwish, Unary::kSoftplus, Unary::kRelu6};

bool elementwise(const Graph& g, const Node& n) {
  if (n.dead || (n.kind != OpKind::kUnary && n.kind != OpKind::kBinary)) return false;
  return is_float(g.value(n.outputs[0]).dtype);
}

// Points from -6 to 6, some beyond, where ReLU6 is not ReLU, and around every constant of the chain: a clamp at 10 or 64504 must be noticed.
Tensor sample_points(const std::vector<float>& constants) {
  std::vector<float> points;
  for (int i = -48; i <= 48; ++i) points.push_back(static_cast<float>(i) / 8.0f);
  for (float far : {-20.0f, -10.0f, 10.0f, 20.0f}) points.push_back(far);
  for (float c : constants) {
    if (!std::isfinite(c) || std::fabs(c) > 1e18f) continue;
    for (float factor : {0.5f, 1.0f, 1.5f, 4.0f}) {
      points.push_back(c * factor);
      points.push_back(-c * factor);
    }
  }
  return Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(points.size())}, points);
}

// Values of `region` (topological order) for sample points at x; empty when a node cannot be evaluated.
std::vector<float> evaluate(const Graph& g, const std::vector<NodeId>& region, ValueId x, const Tensor& samples) {
  std::map<ValueId, Tensor> known{{x, samples}};
  for (NodeId id : region) {
    const Node& n = g.node(id);
    std::vector<const Tensor*> inputs;
    for (ValueId v : n.inputs) {
      if (const auto it = known.find(v); it != known.end())
        inputs.push_back(&it->second);
      else if (g.value(v).constant)
        inputs.push_back(&*g.value(v).constant);
      else
        return {};
    }
    known[n.outputs[0]] = evaluate_node(g, n, inputs, Backend::kCanonical).at(0);
  }
  const Tensor& y = known.at(g.node(region.back()).outputs[0]);
  return y.elements() == samples.elements() ? y.to_float() : std::vector<float>();
}

std::optional<Unary> recognise(const std::vector<float>& y, const Tensor& samples) {
  if (y.empty()) return {};
  const auto x = samples.as<float>();
  for (Unary u : kCandidates) {
    float worst = 0;
    for (size_t i = 0; i < y.size() && worst < kTolerance; ++i) {
      const float error = std::fabs(y[i] - ert::kernels::scalar_unary(u, x[i])) / std::max(1.0f, std::fabs(x[i]));
      worst = std::isnan(error) ? 1.0f : std::max(worst, error);
    }
    if (worst < kTolerance) return u;
  }
  return {};
}

// A sum, difference or product with a constant: chains of those alone are no activation.
bool is_affine(const Graph& g, const Node& n) {
  namespace binary = ert::params::binary;
  if (n.kind != OpKind::kBinary) return false;
  const int kind = n.as<BinaryAttrs>().kind;
  const bool of_constant = scalar_constant(g, n.in(0)).has_value() != scalar_constant(g, n.in(1)).has_value();
  return of_constant && (kind == binary::kAdd || kind == binary::kSub || kind == binary::kMul);
}

struct Match {
  Unary activation;
  ValueId x;
  std::vector<NodeId> region;
};

// Walks back from the node that defines `root`, always through the latest node, until one value feeds everything seen.
// Tries each such value; longer chains win only if shorter ones mean nothing.
std::optional<Match> match(const Graph& g, NodeId root) {
  std::vector<NodeId> region;
  std::set<ValueId> open{g.node(root).outputs[0]};
  std::vector<float> constants;
  bool affine = true;
  while (static_cast<int>(region.size()) < kMaxChain) {
    NodeId latest = kNone;
    for (ValueId v : open) {
      const Node* p = g.producer(v);
      if (p) latest = std::max(latest, id_of(g, *p));
    }
    if (latest == kNone || !elementwise(g, g.node(latest))) return {};
    const Node& n = g.node(latest);
    open.erase(n.outputs[0]);
    for (ValueId v : n.inputs) {
      if (v == kNone) return {};
      if (const auto c = scalar_constant(g, v)) {
        constants.push_back(*c);
        continue;
      }
      if (g.value(v).constant) return {};
      open.insert(v);
    }
    region.insert(region.begin(), latest);
    affine = affine && is_affine(g, n);
    if (open.size() == 1 && region.size() > 1 && !affine) {
      const Tensor samples = sample_points(constants);
      if (const auto u = recognise(evaluate(g, region, *open.begin(), samples), samples)) return Match{*u, *open.begin(), region};
    }
  }
  return {};
}

}  // namespace

int pass_fuse_activation(Graph& g, Diagnostics&) {
  int fused = 0;
  std::set<NodeId> inside;  // of what was fused: a ReLU6 in a HardSwish is nothing of its own
  const size_t count = g.nodes.size();
  // Backwards: the last node of a chain sees the whole of it.
  for (size_t i = count; i-- > 0;) {
    const Node& n = g.nodes[i];
    if (n.kind != OpKind::kBinary || !elementwise(g, n) || inside.count(static_cast<NodeId>(i))) continue;
    const auto m = match(g, static_cast<NodeId>(i));
    if (!m || !g.value(m->x).shape || !g.value(n.outputs[0]).shape || *g.value(m->x).shape != *g.value(n.outputs[0]).shape)
      continue;
    inside.insert(m->region.begin(), m->region.end());
    const Origin origin = n.origin;
    redefine(g, n.outputs[0], OpKind::kUnary, {m->x}, UnaryAttrs{static_cast<int>(m->activation), 0}, origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
