// Inference of nodes that read or make sizes: Shape, Size, ConstantOfShape, Range, EyeLike, Expand, Tile.
#include <algorithm>
#include <cmath>

#include "convert/infer/dispatch.h"
#include "convert/ir/axis.h"

namespace edgeconv {

void infer_shape(NodeInference& c) {
  const ShapeAttrs a = std::holds_alternative<ShapeAttrs>(c.node().attrs) ? c.node().as<ShapeAttrs>() : ShapeAttrs{};
  const int64_t r = c.rank(0);
  const auto clamp = [r](int64_t x) { return std::clamp<int64_t>(from_front(x, r), 0, r); };
  const int64_t start = clamp(a.start), end = std::max(start, clamp(a.end));
  const Shape& s = c.shape(0);
  std::vector<DimExpr> e(s.begin() + start, s.begin() + end);
  c.set(0, DType::kInt64, {DimExpr(end - start)});
  c.set_elements(0, std::move(e));
}

void infer_size(NodeInference& c) {
  const DimExpr n = shape_elements(c.shape(0));
  c.set(0, DType::kInt64, {});
  c.set_elements(0, {n});
}

void infer_constant_of_shape(NodeInference& c) {
  const auto e = c.elements(0);
  if (!e) return c.data_dependent(0);
  const Tensor& value = c.node().as<FillAttrs>().value;
  if (value.dtype() != DType::kUndefined && value.elements() != 1) return c.invalid("its value is not a single number");
  const DType t = value.dtype() == DType::kUndefined ? DType::kFloat : value.dtype();
  c.set(0, t, *e);
  const auto count = shape_elements(*e).constant();
  if (count && *count >= 0 && *count <= kMaxElements && is_integer(t)) {
    c.set_elements(0, std::vector<DimExpr>(static_cast<size_t>(*count), DimExpr(value.to_int64().at(0))));
  }
}

namespace {

// Of constants that are no whole numbers, as eval_range has it. Folding asks for the size before it evaluates.
void set_size_of_range(NodeInference& c) {
  for (size_t i = 0; i < 3; ++i)
    if (!c.in(i).constant) return c.data_dependent(i);
  const auto number = [&](size_t i) { return c.in(i).constant->cast(DType::kDouble).as<double>()[0]; };
  const double count = std::ceil((number(1) - number(0)) / number(2));
  if (count < 1e15) c.set(0, c.dtype(0), {DimExpr(static_cast<int64_t>(std::max(count, 0.0)))});
}

}  // namespace

void infer_range(NodeInference& c) {
  if (!c.is_single(0) || !c.is_single(1) || !c.is_single(2)) return;
  const auto start = c.elements(0), limit = c.elements(1), delta = c.elements(2);
  if (!start || !limit || !delta) {
    for (size_t i = 0; i < 3; ++i) {
      if (!c.elements(i) && !c.in(i).constant) return c.data_dependent(i);
    }
    return set_size_of_range(c);
  }
  const auto step = delta->at(0).constant();
  if (!step || *step == 0 || *step == INT64_MIN) {
    return c.problem("the step of Range is not a known number", "use a constant step");
  }
  const DimExpr span = *step > 0 ? limit->at(0) - start->at(0) : start->at(0) - limit->at(0);
  const int64_t by = *step > 0 ? *step : -*step;
  DimExpr count = by == 1 ? span : (span + DimExpr(by - 1)).floor_div(DimExpr(by));
  if (count.constant() && *count.constant() < 0) count = DimExpr(0);
  c.set(0, c.dtype(0), {count});
  if (count.constant() && *count.constant() <= kMaxElements) {
    std::vector<DimExpr> e;
    for (int64_t i = 0; i < *count.constant(); ++i) e.push_back(start->at(0) + DimExpr(i * *step));
    c.set_elements(0, std::move(e));
  }
}

void infer_eye_like(NodeInference& c) {
  const auto* to = std::get_if<CastAttrs>(&c.node().attrs);
  c.set(0, to && to->to != DType::kUndefined ? to->to : c.dtype(0), c.shape(0));
}

void infer_expand(NodeInference& c) {
  const auto e = c.elements(1);
  if (!e) return c.data_dependent(1);
  const auto out = c.broadcast(c.shape(0), *e);
  if (!out) return;
  c.set(0, c.dtype(0), *out);
  move_elements(c);
}

void infer_tile(NodeInference& c) {
  const auto repeats = c.elements(1);
  if (!repeats) return c.data_dependent(1);
  if (repeats->size() != c.shape(0).size()) {
    return c.invalid("repeats has " + std::to_string(repeats->size()) + " entries for rank " + std::to_string(c.rank(0)));
  }
  Shape out = c.shape(0);
  for (const DimExpr& r : *repeats)
    if (r.constant() && *r.constant() < 0) return c.invalid("it repeats an axis " + std::to_string(*r.constant()) + " times");
  for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] * (*repeats)[i];
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

}  // namespace edgeconv
