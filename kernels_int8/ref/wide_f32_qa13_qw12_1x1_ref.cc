// Sums of 12-bit weights times 13-bit values (contract/wide_kernels.h): Linears and convolutions of W12A13.
#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {
namespace {

// A run of one output times a column, whose next weight is `weight`, in pieces that int32 holds.
F32 add_run(F32 t, size_t run, const int16_t* src, const int16_t** weight, F32 scale) {
  constexpr size_t kNextPair = 2 * panel_columns(Layout::kN16K2);
  for (size_t from = 0; from < run; from += kWideBlock) {
    const size_t end = run - from < kWideBlock ? run : from + kWideBlock;
    uint32_t acc = 0;
    for (size_t k = from; k < end; k += 2, *weight += kNextPair) {
      acc += static_cast<uint32_t>(src[k] * (*weight)[0]);
      if (k + 1 < end) acc += static_cast<uint32_t>(src[k + 1] * (*weight)[1]);
    }
    t = t + F32(static_cast<float>(static_cast<int32_t>(acc))) * scale;
  }
  return t;
}

void add_output(const WideArgs& a, const int16_t* src, const float* scales, float* dst) {
  const size_t depth = a.rows * a.taps * 2 * wide_pairs(a.run);
  for (size_t n = 0; n < a.filters; ++n) {
    const auto* weight =
        static_cast<const int16_t*>(static_cast<const void*>(a.w.data + packed_offset(Layout::kN16K2, n, 0, depth)));
    F32 t = 0.0f;
    for (size_t i = 0; i < a.rows; ++i) {
      for (size_t j = 0; j < a.taps; ++j)
        t = add_run(t, a.run, src + static_cast<ptrdiff_t>(i) * a.src_row + static_cast<ptrdiff_t>(j) * a.src_tap, &weight,
                    scales[static_cast<ptrdiff_t>(i) * a.scale_row]);
    }
    const F32 y = t * F32(a.w.scale[n]);
    dst[n] = to_float(clamped(a.clamp, a.w.bias != nullptr ? y + F32(a.w.bias[n]) : y));
  }
}

}  // namespace

void wide_f32_qa13_qw12_1x1_ref(const WideArgs& a) {
  for (size_t l = 0; l < a.lines; ++l) {
    const ptrdiff_t line = static_cast<ptrdiff_t>(l);
    for (size_t p = 0; p < a.outputs; ++p) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(p);
      add_output(a, a.src + line * a.src_line + at * a.src_step, a.scales + line * a.scale_line + at * a.scale_step,
                 a.dst + line * a.dst_line + at * a.dst_stride);
    }
  }
}

void gemm_f32_qa13_qw12_1x1_ref(const GemmArgs& g) { wide_f32_qa13_qw12_1x1_ref(wide_args(g)); }

}  // namespace ert::kernels
