// Windows as they stand in a blob. All of their arithmetic is in 64 bits, on numbers of at most 2^31: nothing overflows.
#include "rt/ops/window.h"

namespace ert::ops {
namespace {

namespace win = params::window;

constexpr int32_t kMostPadding = 1 << 30;  // either way

bool padding_ok(int32_t pad) { return pad > -kMostPadding && pad < kMostPadding; }

}  // namespace

bool read_window_axis(const int32_t* ints, int32_t size, int32_t out, WindowAxis* axis) {
  *axis = {ints[win::kKernel], ints[win::kStride], ints[win::kDilation], ints[win::kBegin], size, out};
  // So that positions times channels fits 64 bits.
  if (axis->kernel > params::kMaxExactDepth) return false;
  if (axis->kernel < 1 || axis->stride < 1 || axis->dilation < 1) return false;
  if (!padding_ok(ints[win::kBegin]) || !padding_ok(ints[win::kEnd])) return false;
  const int64_t reach = static_cast<int64_t>(axis->dilation) * (axis->kernel - 1) + 1;
  const int64_t span = static_cast<int64_t>(size) + ints[win::kBegin] + ints[win::kEnd] - reach;
  return span >= 0 && span / axis->stride + 1 == out;
}

// The first output's last position and the last output's first tell, if no input is stepped over. No loop over outputs, of which a blob may have any
// number.
bool inside_everywhere(const WindowAxis& a) {
  const int64_t first = a.first(0), last = a.first(a.out - 1), reach = int64_t{a.dilation} * (a.kernel - 1);
  return last < a.size && (first >= 0 || (first + reach >= 0 && a.dilation <= a.size));
}

bool read_window(const OpContext& c, uint32_t first_int, const Operand& x, const Operand& out, Window* w) {
  const int axes = x.rank - 2;
  if (axes < 1 || axes > win::kMostAxes || out.rank != x.rank || x.dims[0] != out.dims[0]) return false;
  if (c.n_ints < window_ints_end(first_int, x)) return false;
  *w = {};
  w->batch = x.dims[0];
  w->channels = x.dims[x.rank - 1];
  w->out_channels = out.dims[out.rank - 1];
  for (int i = 0; i < axes; ++i) {
    WindowAxis* axis = i == axes - 1 ? &w->columns : &w->rows;
    if (!read_window_axis(c.ints + first_int + i * win::kAxisInts, x.dims[i + 1], out.dims[i + 1], axis)) return false;
  }
  return true;
}

}  // namespace ert::ops
