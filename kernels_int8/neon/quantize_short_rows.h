// Rows of W8A8 of lengths that have a quicker way. Those of at most 64 values, a multiple of eight, stay in registers between the look for their range and the rounding: they are read, and multiplied with
// their factors, once. Include neon/quantize_row.h first. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "32 registers"
#endif

namespace ert::kernels {
namespace {

template <int kEights, bool kSmooth>
inline __attribute__((always_inline)) RowScale quantize_short_row(const float* src, const float* inv_smooth, int8_t* dst) {
  constexpr int kVectors = 2 * kEights;
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
  int16x8_t eight[kEights];
#pragma GCC unroll 8
  for (int e = 0; e < kEights; ++e) eight[e] = vaddq_s16(vuzp1q_s16(q[2 * e], q[2 * e + 1]), offset);
#pragma GCC unroll 4
  for (int e = 0; e + 2 <= kEights; e += 2) vst1q_s8(dst + 8 * e, vqmovn_high_s16(vqmovn_s16(eight[e]), eight[e + 1]));
  if (kEights % 2 != 0) vst1_s8(dst + 8 * (kEights - 1), vqmovn_s16(eight[kEights - 1]));
  return steps.scale;
}

template <int kEights>
void quantize_short_rows(size_t m, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst, size_t row_bytes,
                         RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  if (inv_smooth != nullptr) {
    for (size_t i = 0; i < m; ++i)
      scales[i] =
          quantize_short_row<kEights, true>(src + static_cast<ptrdiff_t>(i) * src_stride, inv_smooth, row + i * row_bytes);
  } else {
    for (size_t i = 0; i < m; ++i)
      scales[i] = quantize_short_row<kEights, false>(src + static_cast<ptrdiff_t>(i) * src_stride, nullptr, row + i * row_bytes);
  }
}

// A longer row that does not end with a block: the last 16 values are looked at twice, which changes neither range nor bytes, and costs less than a copy with zeros.
// They are read before anything is written, because dst may be src.
template <bool kSmooth>
RowScale quantize_ragged_row(size_t k, const float* src, const float* inv_smooth, int8_t* dst) {
  const size_t last = k - 16;
  const auto values = [&](size_t i) __attribute__((always_inline)) { return kSmooth ? load(src + i) * load(inv_smooth + i) : load(src + i); };
  const Lanes end = values(last);
  Lanes lo = minimum(end, broadcast(-0.0f)), hi = maximum(end, broadcast(0.0f));
  for (size_t i = 0; i < last; i += 16) {
    const Lanes y = values(i);
    lo = minimum(y, lo);
    hi = maximum(y, hi);
  }
  const Qa8Steps steps = qa8_steps(smallest(lo), greatest(hi));
  const Lanes factor = broadcast(steps.inv);
  const int32_t offset = steps.scale.zero_point - 128;
  for (size_t i = 0; i < last; i += 16) store_bytes(dst + i, values(i) * factor, offset);
  store_bytes(dst + last, end * factor, offset);
  return steps.scale;
}

inline void quantize_ragged_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst, size_t row_bytes,
                                 RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes)
    scales[i] = inv_smooth != nullptr ? quantize_ragged_row<true>(k, src, inv_smooth, row) : quantize_ragged_row<false>(k, src, nullptr, row);
}

}  // namespace
}  // namespace ert::kernels
