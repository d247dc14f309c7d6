// LayerNorm and RMSNorm: the operators of opset 17 and 23, and what exporters write below those (five to twelve nodes around a
// ReduceMean). RMSNorm is the same without subtracting the mean.
#include "convert/ir/axis.h"
#include "convert/passes/match.h"

#include <cmath>

namespace edgeconv {

namespace params = ert::params;

namespace {

constexpr int64_t kMostOnes = 1 << 24;  // of a scale that the file does not have

struct NormMatch {
  ValueId x = kNone;    // normalised value
  ValueId out = kNone;  // what is matched so far
  ValueId gamma = kNone, beta = kNone;
  float epsilon = 0;
  bool rms = false, has_shift = false;
};

// What v is the square of.
ValueId square_root(const Graph& g, ValueId v) {
  if (const Node* p = binary_producer(g, v, params::binary::kPow)) return near(scalar_constant(g, p->in(1)), 2) ? p->in(0) : kNone;
  if (const Node* p = binary_producer(g, v, params::binary::kMul)) return p->in(0) == p->in(1) ? p->in(0) : kNone;
  const Node* p = unary_producer(g, v, params::unary::kSquare);
  return p ? p->in(0) : kNone;
}

// What v is the mean of, over the last axis.
ValueId averaged(const Graph& g, ValueId v) {
  const Node* p = producer_of_kind(g, v, OpKind::kReduce);
  const bool is_mean = p && p->as<ReduceAttrs>().kind == params::reduce::kMean && p->as<ReduceAttrs>().keep_dims && reduces_last_axis(g, *p);
  return is_mean ? p->in(0) : kNone;
}

// What is centred in v = x - mean(x).
ValueId centred(const Graph& g, ValueId v) {
  const Node* p = binary_producer(g, v, params::binary::kSub);
  return p && averaged(g, p->in(1)) == p->in(0) ? p->in(0) : kNone;
}

// mean(d * d): gives d.
ValueId in_mean_square(const Graph& g, ValueId v) {
  const ValueId square = averaged(g, v);
  return square == kNone ? kNone : square_root(g, square);
}

// Flax computes the variance as mean(x * x) - mean(x) * mean(x), not below 0: gives x.
ValueId in_difference_of_moments(const Graph& g, ValueId v) {
  if (const Node* p = binary_producer(g, v, params::binary::kMax)) {
    const bool right = near(scalar_constant(g, p->in(1)), 0);
    if (!right && !near(scalar_constant(g, p->in(0)), 0)) return kNone;  // another floor than 0
    v = p->in(right ? 0 : 1);
  }
  const Node* p = binary_producer(g, v, params::binary::kSub);
  const ValueId x = p ? in_mean_square(g, p->in(0)) : kNone, mean = p ? square_root(g, p->in(1)) : kNone;
  return x != kNone && mean != kNone && averaged(g, mean) == x ? x : kNone;
}

struct Root {
  ValueId of = kNone;  // d of sqrt(mean(d * d) + epsilon)
  ValueId x = kNone;   // d = x - mean(x), where that is so
  float epsilon = 0;
};

std::optional<Root> root_mean_square(const Graph& g, ValueId v) {
  const Node* root = unary_producer(g, v, params::unary::kSqrt);
  const Node* sum = root ? binary_producer(g, root->in(0), params::binary::kAdd) : nullptr;
  if (!sum) return {};
  for (size_t side = 0; side < 2; ++side) {
    const auto epsilon = scalar_constant(g, sum->in(side));
    // Below 0 it is arithmetic of another kind, which the runtime's op does not have.
    if (!epsilon || !(*epsilon >= 0) || !std::isfinite(*epsilon)) continue;
    if (const ValueId d = in_mean_square(g, sum->in(1 - side)); d != kNone) return Root{d, centred(g, d), *epsilon};
    if (const ValueId x = in_difference_of_moments(g, sum->in(1 - side)); x != kNone) return Root{kNone, x, *epsilon};
  }
  return {};
}

// A constant vector along the last axis of `of`.
bool is_row_vector(const Graph& g, ValueId v, ValueId of) {
  if (v == kNone || !g.value(v).constant || !g.value(of).shape || g.value(of).shape->empty()) return false;
  const Tensor& t = *g.value(v).constant;
  return t.rank() >= 1 && t.dims().back() == t.elements() && DimExpr(t.elements()) == g.value(of).shape->back() &&
         is_float(t.dtype());
}

struct Factor {
  Root root;
  ValueId gamma = kNone;
};

// 1 / root, or that times gamma.
std::optional<Factor> match_factor(const Graph& g, ValueId v, bool with_gamma = true) {
  std::optional<Root> root;
  if (const Node* r = unary_producer(g, v, params::unary::kReciprocal)) root = root_mean_square(g, r->in(0));
  if (const Node* q = binary_producer(g, v, params::binary::kDiv); q && near(scalar_constant(g, q->in(0)), 1))
    root = root_mean_square(g, q->in(1));
  if (root) return Factor{*root, kNone};
  const Node* p = with_gamma ? binary_producer(g, v, params::binary::kMul) : nullptr;
  for (size_t side = 0; p && side < 2; ++side) {
    auto factor = match_factor(g, p->in(side), false);
    const ValueId of = !factor ? kNone : factor->root.of == kNone ? factor->root.x : factor->root.of;
    if (!factor || !is_row_vector(g, p->in(1 - side), of)) continue;
    factor->gamma = p->in(1 - side);
    return factor;
  }
  return {};
}

// d normalised by its root mean square: d / root, d * factor.
std::optional<NormMatch> match_normalized(const Graph& g, const Node& n) {
  const auto normalized = [&](ValueId d, const Root& root, ValueId gamma) -> std::optional<NormMatch> {
    const ValueId x = centred(g, d);
    if (root.of != d && (x == kNone || root.x != x)) return {};
    return NormMatch{x == kNone ? d : x, n.outputs[0], gamma, kNone, root.epsilon, x == kNone};
  };
  const auto kind = n.as<BinaryAttrs>().kind;
  if (kind == params::binary::kDiv) {
    const auto root = root_mean_square(g, n.in(1));
    return root ? normalized(n.in(0), *root, kNone) : std::nullopt;
  }
  for (size_t side = 0; kind == params::binary::kMul && side < 2; ++side) {
    const auto factor = match_factor(g, n.in(1 - side));
    const auto m = factor ? normalized(n.in(side), factor->root, factor->gamma) : std::nullopt;
    if (m) return m;
  }
  return {};
}

// -mean(x) * factor.
bool is_negated_mean(const Graph& g, ValueId v, ValueId x, ValueId factor) {
  if (const Node* negated = unary_producer(g, v, params::unary::kNeg)) {
    const Node* p = binary_producer(g, negated->in(0), params::binary::kMul);
    return p && (averaged(g, p->in(0)) == x ? p->in(1) == factor : averaged(g, p->in(1)) == x && p->in(0) == factor);
  }
  const Node* p = binary_producer(g, v, params::binary::kMul);
  const ValueId other = p ? other_operand(*p, factor) : kNone;
  const Node* negated = unary_producer(g, other, params::unary::kNeg);
  return negated && averaged(g, negated->in(0)) == x;
}

// Keras multiplies first, as tf.nn.batch_normalization does: x * factor + (beta - mean(x) * factor).
std::optional<NormMatch> match_scaled_first(const Graph& g, const Node& n) {
  if (n.as<BinaryAttrs>().kind != params::binary::kAdd) return {};
  for (size_t side = 0; side < 2; ++side) {
    const Node* scaled = binary_producer(g, n.in(side), params::binary::kMul);
    for (size_t at = 0; scaled && at < 2; ++at) {
      const ValueId x = scaled->in(at), product = scaled->in(1 - at), shift = n.in(1 - side);
      const auto factor = match_factor(g, product);
      if (!factor || factor->root.x != x) continue;
      NormMatch m{x, n.outputs[0], factor->gamma, kNone, factor->root.epsilon, false, true};
      if (is_negated_mean(g, shift, x, product)) return m;
      if (const Node* sum = binary_producer(g, shift, params::binary::kAdd))
        for (size_t i = 0; i < 2; ++i)
          if (is_row_vector(g, sum->in(i), x) && is_negated_mean(g, sum->in(1 - i), x, product)) m.beta = sum->in(i);
      if (const Node* difference = binary_producer(g, shift, params::binary::kSub); difference && is_row_vector(g, difference->in(0), x)) {
        const Node* p = binary_producer(g, difference->in(1), params::binary::kMul);
        const ValueId mean = p ? other_operand(*p, product) : kNone;
        if (mean != kNone && averaged(g, mean) == x) m.beta = difference->in(0);
      }
      if (m.beta != kNone) return m;
    }
  }
  return {};
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
    auto m = match_normalized(g, g.nodes[i]);
    if (!m) m = match_scaled_first(g, g.nodes[i]);
    if (!m || !g.value(m->x).shape) continue;
    const Origin origin = g.nodes[i].origin;
    ValueId out = m->out, gamma = m->gamma, beta = m->beta;
    // The only reader of what is matched, when it does `kind` with a row vector.
    const auto next = [&](params::binary::Kind kind) {
      const Node* reader = sole_user(g, users, out);
      const bool fits = reader && reader->kind == OpKind::kBinary && reader->as<BinaryAttrs>().kind == kind &&
                        is_row_vector(g, other_operand(*reader, out), m->x);
      const ValueId vector = fits ? other_operand(*reader, out) : kNone;
      if (fits) out = reader->outputs[0];
      return vector;
    };
    if (gamma == kNone && !m->has_shift) gamma = next(params::binary::kMul);
    if (gamma != kNone && !m->has_shift) beta = next(params::binary::kAdd);
    if (gamma == kNone) {
      const auto width = g.value(m->x).shape->back().constant();
      if (!width || *width > kMostOnes) continue;
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
    bool extra = false;
    for (size_t o = 1; o < n.outputs.size(); ++o)
      extra |= n.outputs[o] != kNone && (use_count(users, n.outputs[o]) != 0 || g.is_output(n.outputs[o]));
    if (rank < 1 || !is_last_axis(n.as<NormAttrs>().axis, rank) || extra) continue;
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
