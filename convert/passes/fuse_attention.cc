// softmax(Q K^T * scale + bias) V, in whatever way heads were split: operands are traced back to the [batch, sequence, heads *
// dim] tensors that they are views of (head_operand.h), so packed QKV, 3-D batched MatMuls and layout detours all match.
#include <cmath>
#include <limits>

#include "convert/ir/axis.h"
#include "convert/passes/head_operand.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

// A fill this low leaves a masked position no weight. As a bias it becomes the lowest float, which absorbs any score when it
// is added: a row in which everything is masked is then uniform, as it is in the graph.
constexpr float kMaskedOut = -1e4f, kLowest = std::numeric_limits<float>::lowest();

struct Scores {
  ValueId q = kNone, k_transposed = kNone;
  float scale = 1;
  std::vector<ValueId> biases;  // additive, each broadcastable to the scores
  int finite_fills = 0, infinite_fills = 0;  // of masks that replace scores
};

// Through views that only join or split leading axes.
ValueId behind_reshape(const Graph& g, ValueId v) {
  const ViewLayout l = trace_view(g, v, false);
  return keeps_order(l) ? l.source : v;
}

bool computes_scores(const Graph& g, ValueId v, int depth) {
  if (depth == 0) return false;
  v = behind_reshape(g, v);
  const Node* p = g.producer(v);
  if (!p || p->dead) return false;
  if (p->kind == OpKind::kMatMul) return !g.value(p->in(0)).constant && !g.value(p->in(1)).constant;
  if (p->kind == OpKind::kWhere) return computes_scores(g, p->in(1), depth - 1) || computes_scores(g, p->in(2), depth - 1);
  if (p->kind != OpKind::kBinary) return false;
  const auto kind = p->as<BinaryAttrs>().kind;
  if (kind == params::binary::kAdd) return computes_scores(g, p->in(0), depth - 1) || computes_scores(g, p->in(1), depth - 1);
  if (kind == params::binary::kMul)
    return (scalar_constant(g, p->in(1)) && computes_scores(g, p->in(0), depth - 1)) ||
           (scalar_constant(g, p->in(0)) && computes_scores(g, p->in(1), depth - 1));
  return kind == params::binary::kDiv && scalar_constant(g, p->in(1)) && computes_scores(g, p->in(0), depth - 1);
}

// A mask that replaces scores as a bias that is added to them: Where(condition, fill, 0).
std::optional<ValueId> bias_of_where(Graph& g, const Node n, bool fill_first, Scores& s) {
  const auto fill = scalar_constant(g, n.in(fill_first ? 1 : 2));
  if (!fill || !(*fill <= kMaskedOut)) return {};
  ++(std::isinf(*fill) ? s.infinite_fills : s.finite_fills);
  const float lowest = std::isinf(*fill) ? *fill : kLowest;
  const ValueId zero = g.add_constant(n.origin.node + "/zero", Tensor::scalar(0.0f)),
                low = g.add_constant(n.origin.node + "/low", Tensor::scalar(lowest));
  return add_float_node(g, OpKind::kWhere,
                        fill_first ? std::vector<ValueId>{n.in(0), low, zero} : std::vector<ValueId>{n.in(0), zero, low}, {},
                        n.origin, *g.value(n.in(0)).shape);
}

// From the input of Softmax inwards to the product. Outer factors scale the biases that they enclose.
std::optional<Scores> match_scores(Graph& g, ValueId v) {
  Scores s;
  float outer = 1;
  for (int depth = 0; depth < 12; ++depth) {
    v = behind_reshape(g, v);
    const Node* at = g.producer(v);
    if (!at || at->dead) return {};
    const Node n = *at;
    if (n.kind == OpKind::kMatMul) {
      s.q = n.in(0);
      s.k_transposed = n.in(1);
      s.scale = outer;
      return s;
    }
    if (n.kind == OpKind::kWhere) {
      const bool fill_first = computes_scores(g, n.in(2), 8);
      const auto bias = outer == 1 ? bias_of_where(g, n, fill_first, s) : std::nullopt;
      if (!bias) return {};
      s.biases.push_back(*bias);
      v = n.in(fill_first ? 2 : 1);
      continue;
    }
    if (n.kind != OpKind::kBinary) return {};
    const auto kind = n.as<BinaryAttrs>().kind;
    const auto left = scalar_constant(g, n.in(0)), right = scalar_constant(g, n.in(1));
    if (kind == params::binary::kMul && (left || right)) {
      outer *= right ? *right : *left;
      v = n.in(right ? 0 : 1);
    } else if (kind == params::binary::kDiv && right) {
      outer /= *right;
      v = n.in(0);
    } else if (kind == params::binary::kAdd) {
      const size_t side = computes_scores(g, n.in(0), 8) ? 0 : 1;
      ValueId bias = n.in(1 - side);
      if (!g.value(bias).shape) return {};
      if (outer != 1)
        bias = add_float_node(g, OpKind::kBinary, {bias, g.add_constant(n.origin.node + "/scale", Tensor::scalar(outer))},
                              BinaryAttrs{params::binary::kMul}, n.origin, *g.value(bias).shape);
      s.biases.push_back(bias);
      v = n.in(side);
    } else {
      return {};
    }
  }
  return {};
}

// A bias as rank 4, without Expands that the runtime's broadcast makes needless, with a full key axis.
std::optional<ValueId> normalise_bias(Graph& g, ValueId bias, const DimExpr& batch, int64_t heads, const DimExpr& queries,
                                      const DimExpr& keys, size_t score_rank, const Origin& origin) {
  for (int depth = 0; depth < 4; ++depth) {
    const Node* p = g.producer(bias);
    if (!p || p->dead || p->kind != OpKind::kExpand || !g.value(p->in(0)).shape ||
        g.value(p->in(0)).rank() != g.value(bias).rank() || g.value(p->in(0)).shape->back() != g.value(bias).shape->back())
      break;
    bias = p->in(0);
  }
  Shape shape = *g.value(bias).shape;
  if (shape.size() > 4 || shape.empty()) return {};
  if (score_rank == 3 && shape.size() == 3) {
    if (shape[0] == batch * DimExpr(heads))
      shape = {batch, DimExpr(heads), shape[1], shape[2]};
    else if (shape[0] != DimExpr(1))
      return {};
  }
  while (shape.size() < 4) shape.insert(shape.begin(), DimExpr(1));
  // A bias that is larger than the scores would enlarge them by broadcasting: not an attention any more.
  if (shape[0] != DimExpr(1) && shape[0] != batch) return {};
  if (shape[1] != DimExpr(1) && shape[1] != DimExpr(heads)) return {};
  if (shape[2] != DimExpr(1) && shape[2] != queries) return {};
  if (shape != *g.value(bias).shape) {
    const ValueId target = shape_operand(g, origin.node, shape);
    bias = add_float_node(g, OpKind::kReshape, {bias, target}, ReshapeAttrs{true}, origin, shape);
  }
  if (shape[3] != keys) {
    if (shape[3] != DimExpr(1)) return {};
    shape[3] = keys;
    const ValueId target = shape_operand(g, origin.node, shape);
    bias = add_float_node(g, OpKind::kExpand, {bias, target}, {}, origin, shape);
  }
  return bias;
}

// Softmax over the last axis behind v, past reshapes and the guard Where(IsNaN(p), 0, p).
std::optional<ValueId> softmax_input(const Graph& g, ValueId v) {
  v = behind_reshape(g, v);
  if (const Node* guard = producer_of_kind(g, v, OpKind::kWhere)) {
    const Node* test = unary_producer(g, guard->in(0), params::unary::kIsNaN);
    if (!test || test->in(0) != guard->in(2) || !near(scalar_constant(g, guard->in(1)), 0)) return {};
    v = guard->in(2);
  }
  const Node* softmax = producer_of_kind(g, behind_reshape(g, v), OpKind::kSoftmax);
  if (!softmax) return {};
  const int rank = g.value(softmax->in(0)).rank();
  return rank > 0 && is_last_axis(softmax->as<AxisAttrs>().axis, rank) ? std::optional(softmax->in(0)) : std::nullopt;
}

struct KeyValue {
  ValueId key, value;
  int64_t repeats = 1;
  float key_factor = 1, value_factor = 1;
};

// Keys and values, without their repetition for the query heads of a group where both are repeated alike.
KeyValue key_value(Graph& g, ValueId key, ValueId value, int64_t heads, const Origin& origin) {
  const auto k = without_repetition(g, key, origin), v = without_repetition(g, value, origin);
  if (!k || !v || k->repeats != v->repeats || heads % k->repeats != 0) return {key, value};
  return {k->value, v->value, k->repeats, k->factor, v->factor};
}

bool fuse(Graph& g, const Node n) {
  const ValueId out = n.outputs[0];
  if (!g.value(out).shape || g.value(out).rank() < 3 || g.value(out).rank() > 4 || g.value(n.in(1)).constant) return false;
  const auto input = softmax_input(g, n.in(0));
  const auto scores = input ? match_scores(g, *input) : std::nullopt;
  if (!scores) return false;
  float scale = scores->scale, unscaled = 1;
  const auto q = head_operand(g, scores->q, false, &scale, n.origin);
  if (!q) return false;
  const KeyValue kv = key_value(g, scores->k_transposed, n.in(1), q->heads, n.origin);
  scale *= kv.key_factor;
  unscaled *= kv.value_factor;
  const auto k = head_operand(g, kv.key, true, &scale, n.origin), v = head_operand(g, kv.value, false, &unscaled, n.origin);
  // Scores that a number makes infinite stay what they were: the fused op has a finite scale.
  if (!k || !v || unscaled != 1 || !std::isfinite(scale) || q->heads != k->heads * kv.repeats || k->heads != v->heads || q->dim != k->dim ||
      q->batch != k->batch || k->batch != v->batch || k->sequence != v->sequence)
    return false;
  ValueId bias = kNone;
  for (ValueId each : scores->biases) {
    const auto b = normalise_bias(g, each, q->batch, q->heads, q->sequence, k->sequence, g.value(out).shape->size(), n.origin);
    if (!b) return false;
    bias = bias == kNone ? *b
                         : add_float_node(g, OpKind::kBinary, {bias, *b}, BinaryAttrs{params::binary::kAdd}, n.origin,
                                          broadcast_shapes(*g.value(bias).shape, *g.value(*b).shape).value());
  }
  // What two masks fill is filled once: as a sum it would be minus infinity, and hidden also in rows of which all is filled.
  if (scores->finite_fills > 1 && scores->infinite_fills == 0)
    bias = add_float_node(g, OpKind::kBinary, {bias, g.add_constant(n.origin.node + "/lowest", Tensor::scalar(kLowest))},
                          BinaryAttrs{params::binary::kMax}, n.origin, *g.value(bias).shape);
  AttentionAttrs a;
  a.heads = q->heads;
  a.kv_heads = k->heads;
  a.head_dim = q->dim;
  a.v_dim = v->dim;
  a.scale = scale;
  a.q_first = q->first;
  a.k_first = k->first;
  a.v_first = v->first;
  const Shape shape{q->batch, q->sequence, DimExpr(a.heads * a.v_dim)};
  const ValueId fused = add_float_node(g, OpKind::kAttention, {q->value, k->value, v->value, bias, kNone}, a, n.origin, shape);
  // out is [batch, heads, sequence, dim] or [batch * heads, sequence, dim] over the fused [batch, sequence, heads * dim].
  ViewLayout l = ViewLayout::identity(g, fused);
  const std::vector<Atom> batch = l.axes[0], tokens = l.axes[1], heads{{2, DimExpr(a.v_dim), DimExpr(a.heads)}},
                          dim{{2, 1, DimExpr(a.v_dim)}};
  if (g.value(out).rank() == 4) {
    l.axes = {batch, heads, tokens, dim};
  } else {
    std::vector<Atom> joined = batch;
    joined.insert(joined.end(), heads.begin(), heads.end());
    l.axes = {joined, tokens, dim};
  }
  build_view(g, fused, l, out, n.origin);
  return true;
}

}  // namespace

int pass_fuse_attention(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead && g.nodes[i].kind == OpKind::kMatMul) fused += fuse(g, g.nodes[i]);
  return fused;
}

}  // namespace edgeconv
