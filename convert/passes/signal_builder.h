// Complex numbers in a graph, which has real tensors only: a signal is two of them, and what moves its elements moves both.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "convert/passes/column_parts.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

// Numbers along the last axis: real parts, and imaginary parts or kNone, in tensors of `shape`.
struct Signal {
  ValueId re = kNone, im = kNone;
  Shape shape;
};

class SignalBuilder : public NodeBuilder {
 public:
  using NodeBuilder::NodeBuilder;

  ValueId op(ert::params::binary::Kind kind, ValueId a, ValueId b, Shape shape, DType t = DType::kUndefined) {
    return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, std::move(shape), t);
  }
  ValueId reshaped(ValueId v, const Shape& to) {
    if (*g_.value(v).shape == to) return v;
    return add(OpKind::kReshape, {v, sizes_of(to)}, ReshapeAttrs{}, to);
  }

  // x [.., 2] as its two parts, without the last axis; a part that is known to be zero is left out. x [.., 1] has real parts only.
  Signal parts(ValueId x) {
    Shape shape = *g_.value(x).shape;
    const bool complex = shape.back() == DimExpr(2);
    const int64_t axis = static_cast<int64_t>(shape.size()) - 1;
    shape.pop_back();
    if (!complex) return {reshaped(x, shape), kNone, shape};
    if (column_count(g_, x, axis) == 2) {
      const ValueId re = column_part(g_, x, axis, 0, origin_), im = column_part(g_, x, axis, 1, origin_);
      return {reshaped(re, shape), is_zero(g_, im) ? kNone : reshaped(im, shape), shape};
    }
    const auto part = [&](int64_t i) {
      return add(OpKind::kGather, {x, g_.add_constant(origin_.node + "/part", Tensor::scalar(i))}, AxisAttrs{axis}, shape);
    };
    return {part(0), part(1), shape};
  }

  Signal reshaped(const Signal& x, const Shape& to) {
    return each(x, to, [&](ValueId v) { return reshaped(v, to); });
  }
  Signal transposed(const Signal& x, const std::vector<int64_t>& perm) {
    Shape shape;
    for (int64_t p : perm) shape.push_back(x.shape[static_cast<size_t>(p)]);
    return each(x, shape, [&](ValueId v) { return add(OpKind::kTranspose, {v}, TransposeAttrs{perm}, shape); });
  }
  // The first `count` elements along an axis.
  Signal first(const Signal& x, size_t axis, const DimExpr& count) {
    if (x.shape[axis] == count) return x;
    Shape shape = x.shape;
    shape[axis] = count;
    return each(x, shape, [&](ValueId v) {
      return add(OpKind::kSlice, {v, ints({0}), sizes_of({count}), ints({static_cast<int64_t>(axis)}), ints({1})}, {}, shape);
    });
  }
  // Last axis of size n: zeros behind, or cut off.
  Signal padded(const Signal& x, int64_t n) {
    const size_t axis = x.shape.size() - 1;
    const auto size = x.shape[axis].constant();
    if (size && *size >= n) return first(x, axis, DimExpr(n));
    const int64_t missing = n - size.value_or(0);
    std::vector<int64_t> pads(2 * x.shape.size(), 0);
    pads.back() = missing;
    Shape shape = x.shape;
    shape[axis] = shape[axis] + DimExpr(missing);
    const Signal longer = each(x, shape, [&](ValueId v) { return add(OpKind::kPad, {v, ints(pads)}, PadAttrs{}, shape); });
    return first(longer, axis, DimExpr(n));
  }
  // Times real factors that broadcast.
  Signal scaled(const Signal& x, ValueId factors) {
    return each(x, x.shape, [&](ValueId v) { return op(ert::params::binary::kMul, v, factors, x.shape); });
  }
  Signal scaled(const Signal& x, const std::vector<float>& factors) {
    return scaled(x, floats({static_cast<int64_t>(factors.size())}, factors));
  }

  // Both parts side by side on a new last axis, as the output of the node.
  void finish(const Node& n, const Signal& y) {
    Shape one = y.shape;
    one.emplace_back(1);
    redefine(g_, n.outputs[0], OpKind::kConcat, {reshaped(y.re, one), reshaped(y.im, one)},
             AxisAttrs{static_cast<int64_t>(one.size()) - 1}, n.origin);
  }
  // The real part alone, with a last axis of one.
  void finish_real(const Node& n, const Signal& y) {
    Shape shape = y.shape;
    shape.emplace_back(1);
    redefine(g_, n.outputs[0], OpKind::kReshape, {y.re, sizes_of(shape)}, ReshapeAttrs{}, n.origin);
  }

 private:
  template <class Part>
  static Signal each(const Signal& x, const Shape& shape, Part&& part) {
    const ValueId re = part(x.re);
    return {re, x.im == kNone ? kNone : part(x.im), shape};
  }

  // Zeros that an exporter put beside real numbers to make them complex.
  static bool is_zero(const Graph& g, ValueId v) {
    constexpr int kMostSteps = 8;
    for (int step = 0; step < kMostSteps; ++step) {
      const Value& x = g.value(v);
      if (x.constant) {
        const std::vector<float> values = x.constant->to_float();
        return std::all_of(values.begin(), values.end(), [](float e) { return e == 0; });
      }
      const Node* p = g.producer(v);
      if (!p) return false;
      if (p->kind == OpKind::kConstantOfShape) return p->as<FillAttrs>().value.to_float()[0] == 0;
      if (p->kind == OpKind::kBinary && p->as<BinaryAttrs>().kind == ert::params::binary::kMul)
        return scalar_constant(g, p->in(0)) == 0.0f || scalar_constant(g, p->in(1)) == 0.0f;
      const bool keeps_numbers = p->kind == OpKind::kExpand || p->kind == OpKind::kReshape || p->kind == OpKind::kUnsqueeze ||
                                 p->kind == OpKind::kIdentity || p->kind == OpKind::kCast || p->kind == OpKind::kTranspose;
      if (!keeps_numbers) return false;
      v = p->in(0);
    }
    return false;
  }
};

}  // namespace edgeconv
