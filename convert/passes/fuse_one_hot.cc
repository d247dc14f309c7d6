// A Linear of one-hot rows, as JAX exports a lookup (ids == 0, 1, 2, .. cast to float, times weights), becomes an Embedding: of the weights'
// rows with bias and activation, and a last one for ids that are in none of them.
#include "convert/passes/match.h"
#include "kernels_int8/dispatch/dispatch.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

// Whether v is [.., 1, count] of 0, 1, 2, .. count - 1.
bool counts_up(const Graph& g, ValueId v, int64_t count) {
  if (!g.value(v).constant || !is_integer(g.value(v).dtype) || g.value(v).constant->elements() != count) return false;
  const auto& dims = g.value(v).constant->dims();
  if (dims.empty() || dims.back() != count) return false;
  const std::vector<int64_t> numbers = g.value(v).constant->to_int64();
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  return true;
}

// The ids [.., 1] of which x [.., count] is the one-hot form; kNone if it is not one.
ValueId one_hot_ids(const Graph& g, ValueId x, int64_t count) {
  const Node* cast = producer_of_kind(g, x, OpKind::kCast);
  const Node* equal = cast ? binary_producer(g, cast->in(0), binary::kEqual) : nullptr;
  if (!equal) return kNone;
  const size_t side = counts_up(g, equal->in(0), count) ? 1 : 0;
  if (!counts_up(g, equal->in(1 - side), count)) return kNone;
  const ValueId ids = equal->in(side);
  const Value& v = g.value(ids);
  const bool known = v.shape && g.value(x).shape && !v.constant && (v.dtype == DType::kInt32 || v.dtype == DType::kInt64);
  if (!known || v.shape->empty() || v.shape->size() != g.value(x).shape->size() || v.shape->back() != DimExpr(1)) return kNone;
  return ids;
}

// Row i: what the Linear gives for id i; behind them what it gives for zeros.
Tensor rows_of(const Graph& g, const Node& linear) {
  const Tensor& weights = *g.value(linear.in(1)).constant;
  const size_t n = static_cast<size_t>(weights.dims()[1]);
  std::vector<float> rows = weights.to_float();
  rows.resize(rows.size() + n, 0.0f);
  if (linear.in(2) != kNone) {
    const std::vector<float> bias = g.value(linear.in(2)).constant->to_float();
    for (size_t i = 0; i < rows.size(); ++i) rows[i] += bias[i % n];
  }
  if (const int activation = linear.as<LinearAttrs>().activation; activation >= 0)
    for (float& v : rows) v = ert::kernels::scalar_unary(static_cast<ert::kernels::Unary>(activation), v);
  return Tensor::of<float>(DType::kFloat, {weights.dims()[0] + 1, weights.dims()[1]}, rows);
}

ValueId integer(Graph& g, const std::string& name, DType dtype, int64_t v) {
  return g.add_constant(name, dtype == DType::kInt32 ? Tensor::of<int32_t>(dtype, {}, {static_cast<int32_t>(v)})
                                                     : Tensor::of<int64_t>(dtype, {}, {v}));
}

ValueId add_node(Graph& g, OpKind kind, std::vector<ValueId> inputs, Attributes attrs, const Origin& origin, DType dtype,
                 Shape shape) {
  const ValueId v = add_float_node(g, kind, std::move(inputs), std::move(attrs), origin, std::move(shape));
  g.value(v).dtype = dtype;
  return v;
}

}  // namespace

int pass_fuse_one_hot(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kLinear) continue;
    const Node n = g.nodes[i];
    const Value& weights = g.value(n.in(1));
    if (!weights.constant || weights.constant->rank() != 2 || !is_float(weights.dtype)) continue;
    if (n.in(2) != kNone && !g.value(n.in(2)).constant) continue;
    const int64_t rows = weights.constant->dims()[0];
    const ValueId ids = one_hot_ids(g, n.in(0), rows);
    if (ids == kNone) continue;
    const DType dtype = g.value(ids).dtype;
    const Shape shape = *g.value(ids).shape;
    const ValueId none = integer(g, n.origin.node + "/none", dtype, rows), zero = integer(g, n.origin.node + "/zero", dtype, 0);
    const ValueId table = g.add_constant(n.origin.node + "/rows", rows_of(g, n));
    const ValueId capped = add_node(g, OpKind::kBinary, {ids, none}, BinaryAttrs{binary::kMin}, n.origin, dtype, shape);
    const ValueId below = add_node(g, OpKind::kBinary, {ids, zero}, BinaryAttrs{binary::kLess}, n.origin, DType::kBool, shape);
    const ValueId row = add_node(g, OpKind::kWhere, {below, none, capped}, {}, n.origin, dtype, shape);
    Shape flat = shape;
    flat.pop_back();
    const ValueId sizes = shape_operand(g, n.origin.node + "/ids", flat);
    const ValueId index = add_node(g, OpKind::kReshape, {row, sizes}, ReshapeAttrs{}, n.origin, dtype, flat);
    redefine(g, n.outputs[0], OpKind::kEmbedding, {index, table}, {}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
