// MaxPool and AveragePool in operators that the runtime has, one spatial axis after the other: the padded input shifted by every
// position of the kernel, every stride-th element of that, and the maximum or sum of all. A kernel that covers its axis is a
// reduction. A mean divides by the number of positions that count (a sum does
// not); where that differs from window to window, a pool of ones tells.
#include <algorithm>
#include <limits>

#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"
#include "convert/passes/sliding_window.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;

// A position of a kernel is two nodes until a program has them as one op (program/pool_slices.cc). Any model may have kernels up to kShortKernel. Means over
// a second of a signal have longer ones, but few: files of a kilobyte hold many.
constexpr int64_t kShortKernel = 64, kLongestKernel = 1024, kMostLongPositions = 4096;

class PoolBuilder : public NodeBuilder {
 public:
  PoolBuilder(Graph& g, const Origin& origin, DType t, const Window& window) : NodeBuilder(g, origin, t), window_(window) {}

  // Axis i with so much more of `fill` on either side.
  ValueId pad_axis(ValueId x, size_t i, const DimExpr& before, const DimExpr& behind, ValueId fill) {
    return add(OpKind::kPad, {x, sizes_of({before, behind}), fill, ints({static_cast<int64_t>(i) + 2})}, PadAttrs{});
  }
  ValueId combine(binary::Kind kind, ValueId a, ValueId b) { return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}); }

  // Axis i of x, of this size, where positions beyond the input hold `fill`.
  ValueId pool_axis(ValueId x, size_t i, const DimExpr& size, bool max, ValueId fill) {
    const int64_t axis = static_cast<int64_t>(i) + 2;
    const DimExpr before = window_.begin[i], behind = window_.end[i] + window_.overhang[i];
    if (size == DimExpr(window_.kernel[i]) && window_.dilations[i] == 1 && before == 0 && behind == 0)
      return add(OpKind::kReduce, {x}, ReduceAttrs{max ? reduce::kMax : reduce::kSum, {axis}, true, false});
    if (before != 0 || behind != 0) x = pad_axis(x, i, before, behind, fill);
    ValueId result = kNone;
    for (int64_t k = 0; k < window_.kernel[i]; ++k) {
      // From position k to where the last window has it: the end minus the positions behind it.
      const int64_t left = (window_.kernel[i] - 1 - k) * window_.dilations[i];
      const ValueId part = add(
          OpKind::kSlice,
          {x, ints({k * window_.dilations[i]}), ints({left == 0 ? INT64_MAX : -left}), ints({axis}), ints({window_.strides[i]})},
          {});
      result = result == kNone ? part : combine(max ? binary::kMax : binary::kAdd, result, part);
    }
    return result;
  }
  bool plain(size_t i) const {
    return window_.kernel[i] == 1 && window_.strides[i] == 1 && window_.begin[i] == 0 && window_.end[i] == 0;
  }

  // How many positions of each window along axis i count: shape [1, 1, .., windows, ..].
  ValueId count_axis(size_t i, const DimExpr& size, bool padding_counts) {
    Shape shape(window_.axes() + 2, 1);
    shape[i + 2] = size;
    const ValueId zero = g_.add_constant(origin_.node + "/zero", Tensor::scalar(0.0f));
    ValueId ones = add(OpKind::kConstantOfShape, {sizes_of(shape)}, FillAttrs{Tensor::scalar(1.0f)});
    Window beyond = window_;
    if (padding_counts && (window_.begin[i] != 0 || window_.end[i] != 0)) {
      const ValueId one = g_.add_constant(origin_.node + "/one", Tensor::scalar(1.0f));
      ones = pad_axis(ones, i, window_.begin[i], window_.end[i], one);
      beyond.begin[i] = beyond.end[i] = 0;
    }
    return PoolBuilder(g_, origin_, dtype_, beyond)
        .pool_axis(ones, i, padding_counts ? size + window_.begin[i] + window_.end[i] : size, false, zero);
  }

 private:
  const Window& window_;
};

Tensor lowest(DType t) {
  switch (t) {
    case DType::kUint8: return Tensor::scalar(int64_t{0}).cast(t);
    case DType::kInt8: return Tensor::scalar(int64_t{-128}).cast(t);
    default: return Tensor::scalar(-std::numeric_limits<float>::infinity()).cast(t);
  }
}

bool is_pool(const Node& n) {
  return !n.dead && (n.kind == OpKind::kMaxPool || n.kind == OpKind::kAveragePool);
}

// Positions of the kernels longer than kShortKernel that do not cover their axes.
int64_t long_positions(const Graph& g, const Node& n) {
  const auto& shape = g.value(n.in(0)).shape;
  const auto& kernel = n.as<ConvAttrs>().kernel;
  int64_t positions = 0;
  for (size_t i = 0; shape && i < kernel.size() && i + 2 < shape->size(); ++i)
    if (kernel[i] > kShortKernel && (*shape)[i + 2] != DimExpr(kernel[i])) positions += std::min(kernel[i], kLongestKernel + 1);
  return positions;
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
  PoolBuilder b(g, n.origin, dtype, window);
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
  int64_t of_all = 0;
  for (const Node& n : g.nodes)
    if (is_pool(n)) of_all += long_positions(g, n);
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const Node& n = g.nodes[i];
    if (!is_pool(n) || (of_all > kMostLongPositions && long_positions(g, n) > 0)) continue;
    if (n.outputs.size() > 1 && n.outputs[1] != kNone) continue;  // indices
    made += decompose_pool(g, static_cast<NodeId>(i));
  }
  return made;
}

}  // namespace edgeconv
