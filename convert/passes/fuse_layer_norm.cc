// LayerNorm and RMSNorm: the operators of opset 17 and 23, and what exporters write below those (five to nine nodes around a
// ReduceMean). RMSNorm is the same without subtracting the mean.
#include "convert/passes/match.h"

#include <cmath>

namespace edgeconv {

namespace params = ert::params;

namespace {

struct NormMatch {
  ValueId x = kNone;           // normalised value
  ValueId normalized = kNone;  // before gamma
  float epsilon = 0;
  bool rms = false;
};

bool is_square_of(const Graph& g, ValueId v, ValueId d) {
  if (const Node* p = binary_producer(g, v, params::binary::kPow)) return p->in(0) == d && near(scalar_constant(g, p->in(1)), 2);
  if (const Node* p = binary_producer(g, v, params::binary::kMul)) return p->in(0) == d && p->in(1) == d;
  if (const Node* p = unary_producer(g, v, params::unary::kSquare)) return p->in(0) == d;
  return false;
}

// v = sqrt(mean(d * d) + epsilon); gives epsilon.
std::optional<float> root_mean_square(const Graph& g, ValueId v, ValueId d) {
  const Node* root = unary_producer(g, v, params::unary::kSqrt);
  const Node* sum = root ? binary_producer(g, root->in(0), params::binary::kAdd) : nullptr;
  if (!sum) return {};
  for (size_t side = 0; side < 2; ++side) {
    const auto epsilon = scalar_constant(g, sum->in(side));
    const Node* mean = producer_of_kind(g, sum->in(1 - side), OpKind::kReduce);
    // Below 0 it is arithmetic of another kind, which the runtime's op does not have.
    if (epsilon && *epsilon >= 0 && std::isfinite(*epsilon) && mean && mean->as<ReduceAttrs>().kind == params::reduce::kMean &&
        reduces_last_axis(g, *mean) && mean->as<ReduceAttrs>().keep_dims && is_square_of(g, mean->in(0), d))
      return epsilon;
  }
  return {};
}

// n normalises some d by its root mean square: Div(d, sqrt) or Mul(d, Reciprocal(sqrt)) or Mul(d, Div(1, sqrt)).
std::optional<NormMatch> match_normalized(const Graph& g, const Node& n) {
  NormMatch m;
  ValueId d = kNone;
  std::optional<float> epsilon;
  if (n.as<BinaryAttrs>().kind == params::binary::kDiv) {
    d = n.in(0);
    epsilon = root_mean_square(g, n.in(1), d);
  } else if (n.as<BinaryAttrs>().kind == params::binary::kMul) {
    for (size_t side = 0; side < 2 && !epsilon; ++side) {
      d = n.in(side);
      if (const Node* r = unary_producer(g, n.in(1 - side), params::unary::kReciprocal))
        epsilon = root_mean_square(g, r->in(0), d);
      else if (const Node* q = binary_producer(g, n.in(1 - side), params::binary::kDiv);
               q && near(scalar_constant(g, q->in(0)), 1))
        epsilon = root_mean_square(g, q->in(1), d);
    }
  }
  if (!epsilon) return {};
  m.epsilon = *epsilon;
  m.normalized = n.outputs[0];
  m.x = d;
  m.rms = true;
  if (const Node* sub = binary_producer(g, d, params::binary::kSub)) {
    const Node* mean = producer_of_kind(g, sub->in(1), OpKind::kReduce);
    if (mean && mean->as<ReduceAttrs>().kind == params::reduce::kMean && mean->as<ReduceAttrs>().keep_dims &&
        reduces_last_axis(g, *mean) && mean->in(0) == sub->in(0)) {
      m.x = sub->in(0);
      m.rms = false;
    }
  }
  return m;
}

// A constant vector along the last axis of `like`.
bool is_row_vector(const Graph& g, ValueId v, ValueId of) {
  if (v == kNone || !g.value(v).constant || !g.value(of).shape || g.value(of).shape->empty()) return false;
  const Tensor& t = *g.value(v).constant;
  return t.rank() >= 1 && t.dims().back() == t.elements() && DimExpr(t.elements()) == g.value(of).shape->back() &&
         is_float(t.dtype());
}

ValueId flat(Graph& g, ValueId v) {
  const Tensor t = *g.value(v).constant;
  return t.rank() == 1 ? v : g.add_constant(g.value(v).name + "/flat", t.reshaped({t.elements()}));
}

int fuse_decomposed(Graph& g) {
  int fused = 0;
  const size_t count = g.nodes.size();
  const Users users = g.users();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBinary) continue;
    const auto m = match_normalized(g, g.nodes[i]);
    if (!m || !g.value(m->x).shape) continue;
    const Origin origin = g.nodes[i].origin;
    ValueId out = m->normalized, gamma = kNone, beta = kNone;
    const Node* scaled = sole_user(g, users, out);
    if (scaled && scaled->kind == OpKind::kBinary && scaled->as<BinaryAttrs>().kind == params::binary::kMul &&
        is_row_vector(g, other_operand(*scaled, out), m->x)) {
      gamma = other_operand(*scaled, out);
      out = scaled->outputs[0];
      const Node* shifted = sole_user(g, users, out);
      if (shifted && shifted->kind == OpKind::kBinary && shifted->as<BinaryAttrs>().kind == params::binary::kAdd &&
          is_row_vector(g, other_operand(*shifted, out), m->x)) {
        beta = other_operand(*shifted, out);
        out = shifted->outputs[0];
      }
    }
    if (gamma == kNone) {
      const auto width = g.value(m->x).shape->back().constant();
      if (!width) continue;
      gamma = g.add_constant(origin.node + "/ones",
                             Tensor::of<float>(DType::kFloat, {*width}, std::vector<float>(static_cast<size_t>(*width), 1.0f)));
    }
    gamma = flat(g, gamma);
    if (beta != kNone) beta = flat(g, beta);
    redefine(g, out, OpKind::kNorm, {m->x, kNone, gamma, beta}, FusedNormAttrs{m->epsilon, m->rms}, origin);
    ++fused;
  }
  return fused;
}

// The operators themselves, when they normalise the last axis and only the first output is read.
int convert_operators(Graph& g) {
  int fused = 0;
  const Users users = g.users();
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kLayerNormalization) continue;
    const Node n = g.nodes[i];
    const int rank = g.value(n.in(0)).rank();
    const int64_t axis = n.as<NormAttrs>().axis;
    bool extra = false;
    for (size_t o = 1; o < n.outputs.size(); ++o)
      extra |= n.outputs[o] != kNone && (!users[static_cast<size_t>(n.outputs[o])].empty() || g.is_output(n.outputs[o]));
    if (rank < 1 || (axis != -1 && axis != rank - 1) || extra) continue;
    ValueId gamma = n.in(1);
    if (gamma == kNone || !is_row_vector(g, gamma, n.in(0)) || (n.in(2) != kNone && !is_row_vector(g, n.in(2), n.in(0))))
      continue;
    redefine(g, n.outputs[0], OpKind::kNorm, {n.in(0), kNone, flat(g, gamma), n.in(2) == kNone ? kNone : flat(g, n.in(2))},
             FusedNormAttrs{n.as<NormAttrs>().epsilon, n.as<NormAttrs>().rms}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace

int pass_fuse_layer_norm(Graph& g, Diagnostics&) { return convert_operators(g) + fuse_decomposed(g); }

}  // namespace edgeconv
