// MaxPool and AveragePool in operators that the runtime has, one spatial axis after the other: the padded input shifted by every
// position of the kernel, every stride-th element of that, and the maximum or sum of all. A kernel that covers its axis is a
// reduction. A mean divides by the number of positions that count (a sum does
// not); where that differs from window to window, a pool of ones tells.
#include <algorithm>
#include <limits>

#include "convert/passes/match.h"
#include "convert/passes/sliding_window.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;

// Longer kernels would be long programs; they are reductions in practice.
constexpr int64_t kLongestKernel = 64;

struct PoolBuilder {
  Graph& g;
  Origin origin;
  const Window& w;

  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    return g.add_node(kind, std::move(inputs), std::move(attrs), origin);
  }
  ValueId ints(const std::vector<int64_t>& v) { return g.add_constant(origin.node + "/ints", Tensor::ints(v)); }
  // Axis i with so much more of `fill` on either side.
  ValueId pad_axis(ValueId x, size_t i, const DimExpr& before, const DimExpr& behind, ValueId fill) {
    return add(OpKind::kPad, {x, shape_operand(g, origin.node, {before, behind}), fill, ints({static_cast<int64_t>(i) + 2})}, PadAttrs{});
  }
  ValueId combine(binary::Kind kind, ValueId a, ValueId b) { return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}); }

  // Axis i of x, of this size, where positions beyond the input hold `fill`.
  ValueId pool_axis(ValueId x, size_t i, const DimExpr& size, bool max, ValueId fill) {
    const int64_t axis = static_cast<int64_t>(i) + 2;
    const DimExpr before = w.begin[i], behind = w.end[i] + w.overhang[i];
    if (size == DimExpr(w.kernel[i]) && w.dilations[i] == 1 && before == 0 && behind == 0)
      return add(OpKind::kReduce, {x}, ReduceAttrs{max ? reduce::kMax : reduce::kSum, {axis}, true, false});
    if (before != 0 || behind != 0) x = pad_axis(x, i, before, behind, fill);
    ValueId result = kNone;
    for (int64_t k = 0; k < w.kernel[i]; ++k) {
      // From position k to where the last window has it: the end minus the positions behind it.
      const int64_t left = (w.kernel[i] - 1 - k) * w.dilations[i];
      const ValueId part =
          add(OpKind::kSlice,
              {x, ints({k * w.dilations[i]}), ints({left == 0 ? INT64_MAX : -left}), ints({axis}), ints({w.strides[i]})}, {});
      result = result == kNone ? part : combine(max ? binary::kMax : binary::kAdd, result, part);
    }
    return result;
  }
  bool plain(size_t i) const { return w.kernel[i] == 1 && w.strides[i] == 1 && w.begin[i] == 0 && w.end[i] == 0; }

  // How many positions of each window along axis i count: shape [1, 1, .., windows, ..].
  ValueId count_axis(size_t i, const DimExpr& size, bool padding_counts) {
    Shape shape(w.axes() + 2, 1);
    shape[i + 2] = size;
    const ValueId zero = g.add_constant(origin.node + "/zero", Tensor::scalar(0.0f));
    ValueId ones = add(OpKind::kConstantOfShape, {shape_operand(g, origin.node, shape)}, FillAttrs{Tensor::scalar(1.0f)});
    Window beyond = w;
    if (padding_counts && (w.begin[i] != 0 || w.end[i] != 0)) {
      const ValueId one = g.add_constant(origin.node + "/one", Tensor::scalar(1.0f));
      ones = pad_axis(ones, i, w.begin[i], w.end[i], one);
      beyond.begin[i] = beyond.end[i] = 0;
    }
    return PoolBuilder{g, origin, beyond}.pool_axis(ones, i, padding_counts ? size + w.begin[i] + w.end[i] : size, false, zero);
  }
};

Tensor lowest(DType t) {
  switch (t) {
    case DType::kUint8: return Tensor::scalar(int64_t{0}).cast(t);
    case DType::kInt8: return Tensor::scalar(int64_t{-128}).cast(t);
    default: return Tensor::scalar(-std::numeric_limits<float>::infinity()).cast(t);
  }
}

bool decompose_pool(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto& a = n.as<ConvAttrs>();
  const Value& x = g.value(n.in(0));
  const bool max = n.kind == OpKind::kMaxPool;
  if (!x.shape || a.kernel.size() + 2 != x.shape->size() || x.dtype == DType::kUndefined) return false;
  const Shape shape = *x.shape;
  const DType dtype = x.dtype;
  const Window window = plan_window(a, shape, a.kernel);
  for (size_t i = 0; i < window.axes(); ++i)
    if (window.kernel[i] > kLongestKernel && shape[i + 2] != DimExpr(window.kernel[i])) return false;
  PoolBuilder b{g, n.origin, window};
  const ValueId fill = g.add_constant(n.origin.node + "/fill", max ? lowest(dtype) : Tensor::scalar(0.0f).cast(dtype));
  ValueId y = n.in(0);
  for (size_t i = 0; i < window.axes(); ++i)
    if (!b.plain(i)) y = b.pool_axis(y, i, shape[i + 2], max, fill);
  if (max || a.sum) {
    redefine(g, n.outputs[0], OpKind::kIdentity, {y}, {}, n.origin);
    return true;
  }
  // Windows that all count the same have one divisor.
  float same = 1;
  ValueId divisor = kNone;
  for (size_t i = 0; i < window.axes(); ++i) {
    const bool padded = window.begin[i] != 0 || window.end[i] != 0;
    if (window.overhang[i] == 0 && (!padded || a.count_include_pad)) {
      same *= static_cast<float>(window.kernel[i]);
      continue;
    }
    const ValueId count = b.count_axis(i, shape[i + 2], a.count_include_pad);
    divisor = divisor == kNone ? count : b.combine(binary::kMul, divisor, count);
  }
  const ValueId constant = g.add_constant(n.origin.node + "/count", Tensor::scalar(same));
  divisor = divisor == kNone ? constant : same == 1 ? divisor : b.combine(binary::kMul, divisor, constant);
  if (dtype != DType::kFloat) divisor = b.add(OpKind::kCast, {divisor}, CastAttrs{dtype});
  redefine(g, n.outputs[0], OpKind::kBinary, {y, divisor}, BinaryAttrs{binary::kDiv}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_pool(Graph& g, Diagnostics&) {
  int made = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const Node& n = g.nodes[i];
    if (n.dead || (n.kind != OpKind::kMaxPool && n.kind != OpKind::kAveragePool)) continue;
    if (n.outputs.size() > 1 && n.outputs[1] != kNone) continue;  // indices
    made += decompose_pool(g, static_cast<NodeId>(i));
  }
  return made;
}

}  // namespace edgeconv
