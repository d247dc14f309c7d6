// Padding of sliding windows: explicit, none, automatic, and the overhang of ceil_mode.
#include "convert/passes/sliding_window.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace edgeconv {

namespace {

// Padding that keeps ceil(size / stride) windows; unknown when the stride is not 1 and the size is symbolic.
bool pad_to_same(const DimExpr& size, size_t i, bool upper, Window& w) {
  int64_t total = w.reach(i) - 1;
  if (w.strides[i] != 1) {
    const auto n = size.constant();
    if (!n) return false;
    total = std::max<int64_t>(0, ((*n + w.strides[i] - 1) / w.strides[i] - 1) * w.strides[i] + w.reach(i) - *n);
  }
  w.begin[i] = upper ? total / 2 : total - total / 2;
  w.end[i] = total - w.begin[i];
  return true;
}

// One window more where a part of the input is left over, unless it would start in the trailing padding. For a symbolic size that
// must be impossible; strides then reach up to stride - 1 elements further.
bool hang_over(const DimExpr& size, size_t i, Window& w) {
  const auto n = size.constant();
  if (!n) {
    if (w.end[i] + w.strides[i] > w.reach(i)) return false;
    w.overhang[i] = w.strides[i] - 1;
    return true;
  }
  const int64_t span = *n + w.begin[i] + w.end[i] - w.reach(i);
  int64_t windows = (span + w.strides[i] - 1) / w.strides[i] + 1;
  if ((windows - 1) * w.strides[i] >= *n + w.begin[i]) --windows;
  w.overhang[i] = std::max<int64_t>(0, (windows - 1) * w.strides[i] - span);
  return true;
}

}  // namespace

int64_t Window::positions() const { return std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>()); }

std::optional<Window> plan_window(const ConvAttrs& a, const Shape& x, std::vector<int64_t> kernel) {
  const size_t axes = x.size() - 2;
  const std::vector<int64_t> none(axes, 0);
  Window w{std::move(kernel), a.strides, a.dilations, none, none, none};
  w.strides.resize(axes, 1);
  w.dilations.resize(axes, 1);
  const bool same = a.auto_pad == "SAME_UPPER" || a.auto_pad == "SAME_LOWER";
  for (size_t i = 0; i < axes; ++i) {
    if (same && !pad_to_same(x[i + 2], i, a.auto_pad == "SAME_UPPER", w)) return {};
    if (!same && a.auto_pad != "VALID" && a.pads.size() == 2 * axes) {
      w.begin[i] = a.pads[i];
      w.end[i] = a.pads[i + axes];
    }
    if (a.ceil_mode && !same && !hang_over(x[i + 2], i, w)) return {};
  }
  return w;
}

}  // namespace edgeconv
