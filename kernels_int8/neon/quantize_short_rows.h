// Rows of W8A8 of at most four blocks of 16 values stay in registers between the look for their range and the rounding: they are read, and multiplied with
// their factors, once. Include neon/quantize_row.h first. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "32 registers"
#endif

namespace ert::kernels {
namespace {

template <int kBlocks, bool kSmooth>
inline __attribute__((always_inline)) RowScale quantize_short_row(const float* src, const float* inv_smooth, int8_t* dst) {
  constexpr int kVectors = 4 * kBlocks;
  float32x4_t y[kVectors], lo[2] = {vdupq_n_f32(-0.0f), vdupq_n_f32(-0.0f)}, hi[2] = {vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
#pragma GCC unroll 16
  for (int j = 0; j < kVectors; ++j) {
    y[j] = vld1q_f32(src + 4 * j);
    if (kSmooth) y[j] = vmulq_f32(y[j], vld1q_f32(inv_smooth + 4 * j));
  }
#pragma GCC unroll 16
  for (int j = 0; j < kVectors; ++j) {
    lo[j % 2] = vminq_f32(y[j], lo[j % 2]);
    hi[j % 2] = vmaxq_f32(y[j], hi[j % 2]);
  }
  const Qa8Steps steps = qa8_steps(smallest_of(vminq_f32(lo[0], lo[1])), largest_of(vmaxq_f32(hi[0], hi[1])));
  const float32x4_t magic = vdupq_n_f32(kRoundMagic);
  const int16x8_t offset = vdupq_n_s16(static_cast<int16_t>(steps.scale.zero_point - 128));
  int16x8_t q[kVectors];
#pragma GCC unroll 16
  for (int j = 0; j < kVectors; ++j) q[j] = vreinterpretq_s16_f32(vaddq_f32(vmulq_n_f32(y[j], steps.inv), magic));
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const int16x8_t low = vaddq_s16(vuzp1q_s16(q[4 * b], q[4 * b + 1]), offset),
                    high = vaddq_s16(vuzp1q_s16(q[4 * b + 2], q[4 * b + 3]), offset);
    vst1q_s8(dst + 16 * b, vqmovn_high_s16(vqmovn_s16(low), high));
  }
  return steps.scale;
}

template <int kBlocks>
void quantize_short_rows(size_t m, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst, size_t row_bytes,
                         RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  if (inv_smooth != nullptr) {
    for (size_t i = 0; i < m; ++i)
      scales[i] =
          quantize_short_row<kBlocks, true>(src + static_cast<ptrdiff_t>(i) * src_stride, inv_smooth, row + i * row_bytes);
  } else {
    for (size_t i = 0; i < m; ++i)
      scales[i] = quantize_short_row<kBlocks, false>(src + static_cast<ptrdiff_t>(i) * src_stride, nullptr, row + i * row_bytes);
  }
}

}  // namespace
}  // namespace ert::kernels
