// Nodes that move data: Transpose, Slice, Split, Concat, Expand, Tile, Pad.
#include <algorithm>
#include <cstring>

#include "convert/ir/axis.h"
#include "convert/lower/lower.h"
#include "convert/infer/node_inference.h"
#include "rt/include/ert.h"
#include "rt/ops/op.h"

namespace edgeconv {

using ert::params::OpCode;
namespace params = ert::params;

namespace {
// First index read along an axis, in [0, size): ONNX clamps out-of-range and counts negative starts from the end.
DimExpr slice_start(const DimExpr& start, const DimExpr& size, int64_t step, const LeastDims& least) {
  const DimExpr last = size - 1;
  const auto s = start.constant();
  if (!s) {
    if (size + start == DimExpr(0)) return 0;
    // Negative for all dims (T5 keeps the last S rows of its S x S bias): counted from the end. Otherwise a position.
    const auto magnitude = lower_bound(DimExpr(0) - start, least);
    if (magnitude && *magnitude >= 1) return DimExpr::max(0, size + start);
    // Of either sign: computed, and clamped.
    if (lower_bound(start, least).value_or(-1) < 0) return DimExpr::max(0, DimExpr::min(counted_from_start(start, size), last));
    // Backward from a position that may lie behind the last element.
    const auto room = lower_bound(last - start, least);
    return step > 0 || (room && *room >= 0) ? start : DimExpr::min(start, last);
  }
  if (*s < 0) {
    const auto n = size.constant();
    return n ? DimExpr(std::max<int64_t>(0, *n + *s)) : (*s == -1 ? last : DimExpr::max(0, size + *s));
  }
  if (step > 0) return *s == 0 ? DimExpr(0) : DimExpr(*s);
  return *s >= INT32_MAX ? last : DimExpr::min(DimExpr(*s), last);
}

// What a runtime Slice does on the next axis.
void add_axis(LowerContext& c, const DimExpr& start, int64_t step, std::vector<int32_t>& ints) {
  namespace slice = params::slice;
  const std::vector<int32_t> axis = named<slice::kAxisInts>(
      {{slice::kStartExpr, c.expr(start)}, {slice::kStep, std::clamp<int64_t>(step, INT32_MIN, INT32_MAX)}});
  ints.insert(ints.end(), axis.begin(), axis.end());
}
}  // namespace

void lower_transpose(LowerContext& c, const Node& n) {
  const auto& perm = n.as<TransposeAttrs>().perm;
  std::vector<int32_t> ints(perm.begin(), perm.end());
  if (perm.empty())
    for (size_t i = c.shape(n.in(0)).size(); i-- > 0;) ints.push_back(static_cast<int32_t>(i));
  c.op(n, OpCode::kTranspose, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, std::move(ints));
}

void lower_slice(LowerContext& c, const Node& n) {
  const Shape& in = c.shape(n.in(0));
  const auto starts = c.elements(n.in(1)), ends = c.elements(n.in(2));
  if (!starts || !ends)
    return c.unsupported(n, "its starts or ends depend on the data", "slice with sizes known from the inputs' shapes");
  std::vector<int64_t> axes, steps;
  if (const auto e = c.elements(n.in(3)))
    for (const DimExpr& a : *e) axes.push_back(a.constant().value_or(0));
  if (const auto e = c.elements(n.in(4)))
    for (const DimExpr& s : *e) steps.push_back(s.constant().value_or(1));
  std::vector<DimExpr> first(in.size(), DimExpr(0));
  std::vector<int64_t> step(in.size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    const size_t axis = axes.empty() ? i : axis_index(axes[i], in.size());
    step[axis] = steps.empty() ? 1 : steps[i];
    first[axis] = slice_start((*starts)[i], in[axis], step[axis], c.graph.least_dims);
  }
  std::vector<int32_t> ints;
  for (size_t i = 0; i < in.size(); ++i) add_axis(c, first[i], step[i], ints);
  c.op(n, OpCode::kSlice, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, std::move(ints));
}

// A Split is one Slice per part.
void lower_split(LowerContext& c, const Node& n) {
  const size_t rank = c.shape(n.in(0)).size(), axis = axis_index(n.as<SplitAttrs>().axis, rank);
  DimExpr first = 0;
  for (ValueId out : n.outputs) {
    if (out == kNone) continue;
    std::vector<int32_t> ints;
    for (size_t i = 0; i < rank; ++i) add_axis(c, i == axis ? first : DimExpr(0), 1, ints);
    first = first + c.shape(out)[axis];
    c.op(n, OpCode::kSlice, {c.operand(n.in(0))}, {c.result(out)}, std::move(ints));
  }
}

// Long lists are joined in steps, because an op has a bounded number of operands.
void lower_concat(LowerContext& c, const Node& n) {
  const Shape& out = c.shape(n.outputs[0]);
  const size_t axis = axis_index(n.as<AxisAttrs>().axis, out.size());
  const auto code = OpCode::kConcat;
  const auto ints = named<params::concat::kIntCount>({{params::concat::kAxis, static_cast<int64_t>(axis)}});
  constexpr size_t kLimit = ert::kMaxOperands / 2;
  std::vector<int> parts;
  std::vector<DimExpr> sizes;
  for (ValueId v : n.inputs) {
    parts.push_back(c.operand(v));
    sizes.push_back(c.shape(v)[axis]);
  }
  while (parts.size() > kLimit) {
    std::vector<int> head(parts.begin(), parts.begin() + kLimit);
    Shape joined = out;
    joined[axis] = 0;
    for (size_t i = 0; i < kLimit; ++i) joined[axis] = joined[axis] + sizes[i];
    const int value = c.temporary(runtime_dtype(c.graph.value(n.outputs[0]).dtype), joined);
    c.op(n, code, head, {value}, ints);
    parts.erase(parts.begin(), parts.begin() + kLimit);
    sizes.erase(sizes.begin(), sizes.begin() + kLimit);
    parts.insert(parts.begin(), value);
    sizes.insert(sizes.begin(), joined[axis]);
  }
  c.op(n, code, parts, {c.result(n.outputs[0])}, ints);
}

void lower_expand(LowerContext& c, const Node& n) { c.op(n, OpCode::kExpand, {c.operand(n.in(0))}, {c.result(n.outputs[0])}); }

// The same for one axis after the other, everything before and behind it taken as one: for ranks that have no room for the inserted
// axes.
static void tile_by_axis(LowerContext& c, const Node& n, uint8_t dtype) {
  Shape at = c.shape(n.in(0));
  const Shape& out = c.shape(n.outputs[0]);
  int value = c.operand(n.in(0));
  for (size_t i = 0; i < at.size(); ++i) {
    if (out[i] == at[i]) continue;
    const DimExpr before = shape_elements(Shape(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(i))),
                  from = shape_elements(Shape(at.begin() + static_cast<std::ptrdiff_t>(i), at.end()));
    const int repeated = c.temporary(dtype, {before, out[i].floor_div(at[i]), from});
    c.op(n, OpCode::kExpand, {c.program.add_alias(value, {before, 1, from})}, {repeated});
    at[i] = out[i];
    value = c.program.add_alias(repeated, at);
  }
  c.bind(n.outputs[0], value);
}

// Tiling axis i of size s by r is: insert an axis of size 1 before it, expand that to r, merge the two.
void lower_tile(LowerContext& c, const Node& n) {
  const Shape& in = c.shape(n.in(0));
  const Shape& out = c.shape(n.outputs[0]);
  Shape split, repeated;
  for (size_t i = 0; i < in.size(); ++i) {
    if (out[i] != in[i]) {
      split.push_back(1);
      repeated.push_back(out[i].floor_div(in[i]));
    }
    split.push_back(in[i]);
    repeated.push_back(in[i]);
  }
  const uint8_t dtype = runtime_dtype(c.graph.value(n.outputs[0]).dtype);
  if (split.size() > ERT_MAX_RANK) return tile_by_axis(c, n, dtype);
  const int value = c.temporary(dtype, repeated);
  c.op(n, OpCode::kExpand, {c.program.add_alias(c.operand(n.in(0)), split)}, {value});
  c.bind(n.outputs[0], c.program.add_alias(value, out));
}

void lower_pad(LowerContext& c, const Node& n) {
  const Shape& in = c.shape(n.in(0));
  const auto pads = c.elements(n.in(1));
  if (!pads) return c.unsupported(n, "its pads depend on the data", "pad with sizes known from the inputs' shapes");
  const ValueId fill = n.in(2);
  int32_t bits = 0;
  if (fill != kNone) {
    if (!c.graph.value(fill).constant) return c.unsupported(n, "its fill value is computed", "pad with a constant");
    const Tensor& t = *c.graph.value(fill).constant;
    if (is_float(t.dtype())) {
      const float f = t.to_float().at(0);
      std::memcpy(&bits, &f, 4);
    } else {
      bits = static_cast<int32_t>(t.to_int64().at(0));
    }
  }
  std::vector<size_t> axes;
  if (const auto e = c.elements(n.in(3)))
    for (const DimExpr& a : *e) axes.push_back(axis_index(a.constant().value_or(0), in.size()));
  std::vector<DimExpr> leading(in.size(), DimExpr(0));
  for (size_t i = 0; i < pads->size() / 2; ++i) leading[axes.empty() ? i : axes[i]] = (*pads)[i];
  std::vector<int32_t> ints =
      named<params::pad::kFirstAxis>({{params::pad::kMode, n.as<PadAttrs>().mode}, {params::pad::kFillBits, bits}});
  for (const DimExpr& e : leading) ints.push_back(c.expr(e));
  c.op(n, OpCode::kPad, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, std::move(ints));
}

}  // namespace edgeconv
