// A window that slides over the spatial axes of a value with its channels last, as ops over maps have it: [N, W, C] or [N, H, W, C].
// One spatial axis is read as the columns of a map of one row, so that ops know maps only.
#pragma once

#include <stdint.h>

#include "rt/ops/op.h"
#include "rt/ops/op_params.h"

namespace ert::ops {

// Output o meets the inputs o * stride - begin + i * dilation of i in [0, kernel); those outside [0, size) are zeros.
struct WindowAxis {
  int32_t kernel = 1, stride = 1, dilation = 1, begin = 0;
  int32_t size = 1, out = 1;

  int64_t first(int64_t o) const { return o * stride - begin; }
};

// Positions [first, last) of the kernel that meet the input; empty: first == last.
struct WindowSpan {
  int32_t first, last;
};
inline WindowSpan span_inside(const WindowAxis& a, int64_t o) {
  const int64_t at = a.first(o), dilation = a.dilation;
  if (at >= 0 && at + dilation * (a.kernel - 1) < a.size) return {0, a.kernel};
  const int64_t first = at >= 0 ? 0 : (-at + dilation - 1) / dilation;
  const int64_t last = at >= a.size ? 0 : (a.size - at + dilation - 1) / dilation;
  const int64_t end = last < a.kernel ? last : a.kernel;
  return first < end ? WindowSpan{static_cast<int32_t>(first), static_cast<int32_t>(end)} : WindowSpan{0, 0};
}

// Behind the outputs from `o` on that meet all positions, as output `o` does.
inline int64_t end_of_whole(const WindowAxis& a, int64_t o) {
  const int64_t last = (int64_t{a.size} - 1 - int64_t{a.dilation} * (a.kernel - 1) + a.begin) / a.stride;
  return last < o ? o + 1 : last + 1 < a.out ? last + 1 : a.out;
}

struct Window {
  WindowAxis rows, columns;
  int32_t batch = 0, channels = 0, out_channels = 0;  // of x and of the output, of any number each

  int64_t positions() const { return static_cast<int64_t>(rows.kernel) * columns.kernel; }
  int64_t row_elements() const { return static_cast<int64_t>(columns.size) * channels; }  // of one row of x
  int64_t map_elements() const { return rows.size * row_elements(); }
  int64_t outputs() const { return static_cast<int64_t>(batch) * rows.out * columns.out; }  // places of the output
};

// Reads params::window::AxisInts of one axis of these sizes and checks it: kernel, stride and dilation are at least 1, and `out` is exactly what the
// window gives of `size`.
bool read_window_axis(const int32_t* ints, int32_t size, int32_t out, WindowAxis* axis);

// Whether every output meets an input, on an axis with outputs.
bool inside_everywhere(const WindowAxis& a);

// Reads the window of params::window::AxisInts at c.ints[first_int] and checks it: x and out have rank 3 or 4 and one batch, the ints
// are there, kernel, stride and dilation are at least 1, and the output's sizes are exactly those of the window on x. Dtypes and channels
// are the op's to check, and that nothing follows the window's ints: those end at window_ints_end. For prepare; check_counts comes before.
bool read_window(const OpContext& c, uint32_t first_int, const Operand& x, const Operand& out, Window* w);
inline uint32_t window_ints_end(uint32_t first_int, const Operand& x) {
  return first_int + params::window::kAxisInts * (x.rank - 2u);
}

}  // namespace ert::ops
