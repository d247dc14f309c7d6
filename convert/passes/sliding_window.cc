// Padding of sliding windows: explicit, none, automatic, and the overhang of ceil_mode.
#include "convert/passes/sliding_window.h"

#include <algorithm>

namespace edgeconv {

namespace {

// What `windows` windows reach over. Of a symbolic count it is made so that dividing by the stride gives that count again.
DimExpr reach_of(const DimExpr& windows, size_t i, const Window& w) {
  return windows * DimExpr(w.strides[i]) + DimExpr(w.reach(i) - w.strides[i]);
}

// Padding that keeps ceil(size / stride) windows. Where they leave elements out between them, the end of the last gap may be cropped.
void pad_to_same(const DimExpr& size, size_t i, bool upper, Window& w) {
  const DimExpr stride(w.strides[i]), windows = (size + stride - DimExpr(1)).floor_div(stride), more = reach_of(windows, i, w) - size;
  const DimExpr total = w.reach(i) >= w.strides[i] ? more : DimExpr::max(more, DimExpr(0));
  const bool at_most_one = w.reach(i) <= 2;
  if (upper)
    w.begin[i] = at_most_one ? DimExpr(0) : total.floor_div(DimExpr(2));
  else
    w.begin[i] = at_most_one ? total : (total + DimExpr(1)).floor_div(DimExpr(2));
  w.end[i] = (size.is_constant() ? total : more) - w.begin[i];
}

// One window more where a part of the input is left over, unless it would start in the trailing padding.
void hang_over(const DimExpr& size, size_t i, Window& w) {
  const DimExpr stride(w.strides[i]), padded = size + w.begin[i] + w.end[i];
  const int64_t end = w.end[i].constant().value_or(0);
  if (end + w.strides[i] > w.reach(i)) {
    const DimExpr windows = (size + w.begin[i] + stride - DimExpr(1)).floor_div(stride), more = reach_of(windows, i, w) - padded;
    // Less than a stride that no window reaches needs no crop: the strides leave it out.
    w.overhang[i] = more.constant() && *more.constant() > -w.strides[i] ? DimExpr(std::max<int64_t>(0, *more.constant())) : more;
    return;
  }
  const auto n = padded.constant();
  if (!n) {
    w.overhang[i] = stride - DimExpr(1);  // strides then reach up to so many elements further
    return;
  }
  const int64_t span = *n - w.reach(i), windows = (span + w.strides[i] - 1) / w.strides[i] + 1;
  w.overhang[i] = std::max<int64_t>(0, (windows - 1) * w.strides[i] - span);
}

}  // namespace

Window plan_window(const ConvAttrs& a, const Shape& x, std::vector<int64_t> kernel) {
  const size_t axes = x.size() - 2;
  const std::vector<DimExpr> none(axes, 0);
  Window w{std::move(kernel), a.strides, a.dilations, none, none, none};
  w.strides.resize(axes, 1);
  w.dilations.resize(axes, 1);
  const bool same = a.auto_pad == "SAME_UPPER" || a.auto_pad == "SAME_LOWER";
  for (size_t i = 0; i < axes; ++i) {
    if (same) pad_to_same(x[i + 2], i, a.auto_pad == "SAME_UPPER", w);
    if (!same && a.auto_pad != "VALID" && a.pads.size() == 2 * axes) {
      w.begin[i] = a.pads[i];
      w.end[i] = a.pads[i + axes];
    }
    if (a.ceil_mode && !same) hang_over(x[i + 2], i, w);
  }
  return w;
}

std::optional<WindowAttrs> with_fixed_padding(const Window& w) {
  WindowAttrs fixed{w.kernel, w.strides, w.dilations, {}, {}};
  for (size_t i = 0; i < w.axes(); ++i) {
    const auto begin = w.begin[i].constant(), end = w.end[i].constant();
    if (!begin || !end) return {};
    fixed.begin.push_back(*begin);
    fixed.end.push_back(*end);
  }
  return fixed;
}

}  // namespace edgeconv
