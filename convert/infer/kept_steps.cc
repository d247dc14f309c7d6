// See kept_steps.h.
#include "convert/infer/kept_steps.h"

namespace edgeconv {

namespace {
namespace binary_kinds = ert::params::binary;
}

KeptSteps::KeptSteps(Graph& g, Origin origin, ValueId mask, DimExpr steps, DimExpr batch)
    : g_(g), origin_(std::move(origin)), mask_(mask), steps_(std::move(steps)), batch_(std::move(batch)) {
  const ValueId axis = g_.add_constant(origin_.node + "/axis", Tensor::scalar(int64_t{0}));
  seen_ = add(OpKind::kCumSum, {add(OpKind::kCast, {mask_}, CastAttrs{DType::kInt64}), axis}, CumSumAttrs{});
  const ValueId last = binary(binary_kinds::kSub, number(steps_), number(1));
  const ValueId total = add(OpKind::kGather, {seen_, last}, AxisAttrs{0});
  lengths_ = add(OpKind::kCast, {total}, CastAttrs{DType::kInt32});
  // Kept: as many stand before it as have been seen. Left out: behind all kept ones, in order.
  const ValueId t = counting(steps_, {steps_, DimExpr(1)});
  const ValueId to = add(OpKind::kWhere, {mask_, binary(binary_kinds::kSub, seen_, number(1)),
                                          binary(binary_kinds::kSub, binary(binary_kinds::kAdd, t, total), seen_)});
  const ValueId all = add(OpKind::kExpand, {t, sizes({steps_, batch_})});
  order_ = coordinates(add(OpKind::kScatterElements, {all, to, all}, ScatterAttrs{0}));
}

ValueId KeptSteps::first(ValueId x) { return add(OpKind::kGatherND, {x, order_}, GatherNDAttrs{0}); }

ValueId KeptSteps::placed(ValueId y, ValueId before) {
  if (places_ == kNone) places_ = coordinates(seen_);
  const ValueId front =
      add(OpKind::kUnsqueeze, {before, g_.add_constant(origin_.node + "/axes", Tensor::ints({0}))}, AxesAttrs{{0}});
  return add(OpKind::kGatherND, {add(OpKind::kConcat, {front, y}, AxisAttrs{0}), places_}, GatherNDAttrs{0});
}

ValueId KeptSteps::or_zero(ValueId y) {
  const ValueId rows = add(OpKind::kReshape, {mask_, sizes({steps_, batch_, DimExpr(1)})}, ReshapeAttrs{});
  return add(OpKind::kWhere, {rows, y, g_.add_constant(origin_.node + "/zero", Tensor::scalar(0.0f))});
}

ValueId KeptSteps::add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
  return g_.add_node(kind, std::move(inputs), std::move(attrs), origin_);
}

ValueId KeptSteps::binary(ert::params::binary::Kind kind, ValueId a, ValueId b) {
  return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind});
}

ValueId KeptSteps::number(const DimExpr& d) {
  if (d.constant()) return g_.add_constant(origin_.node + "/number", Tensor::scalar(*d.constant()));
  const ValueId v = g_.add_value(origin_.node + "/number", DType::kInt64, Shape{});
  g_.value(v).elements = std::vector<DimExpr>{d};
  return v;
}

ValueId KeptSteps::sizes(const Shape& s) {
  const ValueId v = g_.add_value(origin_.node + "/sizes", DType::kInt64, Shape{static_cast<int64_t>(s.size())});
  g_.value(v).elements = s;
  return v;
}

ValueId KeptSteps::counting(const DimExpr& count, const Shape& as) {
  return add(OpKind::kReshape, {add(OpKind::kRange, {number(0), number(count), number(1)}), sizes(as)}, ReshapeAttrs{});
}

ValueId KeptSteps::coordinates(ValueId step) {
  const Shape one_each{steps_, batch_, DimExpr(1)};
  const ValueId row = add(OpKind::kReshape, {step, sizes(one_each)}, ReshapeAttrs{});
  const ValueId sequence = add(OpKind::kExpand, {counting(batch_, {DimExpr(1), batch_, DimExpr(1)}), sizes(one_each)});
  return add(OpKind::kConcat, {row, sequence}, AxisAttrs{2});
}

}  // namespace edgeconv
