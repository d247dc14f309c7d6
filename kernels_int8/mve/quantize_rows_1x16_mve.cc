// Rows of fp32 to bytes q - 128 with a zero point per row (W8A8), and to two rows of signed digits, q = 128 * hi + lo, half a row
// apart (W8A16). Bytes beyond k are arbitrary: weights there are zero.
#include "kernels_int8/gelu_quantize.h"
#include "kernels_int8/simd/lanes16_mve.h"

#include "kernels_int8/kernel_table.h"
#include "kernels_int8/simd/blocks16.h"

namespace ert::kernels {
namespace {

// Inputs are finite here, so the instructions' own maximum serves.
ERT_LANES Lanes maximum(Lanes a, Lanes b) {
  return {vmaxnmq_f32(a.q0, b.q0), vmaxnmq_f32(a.q1, b.q1), vmaxnmq_f32(a.q2, b.q2), vmaxnmq_f32(a.q3, b.q3)};
}
ERT_LANES Lanes minimum(Lanes a, Lanes b) {
  return {vminnmq_f32(a.q0, b.q0), vminnmq_f32(a.q1, b.q1), vminnmq_f32(a.q2, b.q2), vminnmq_f32(a.q3, b.q3)};
}
ERT_LANES float smallest(Lanes a) {
  return vminnmvq_f32(__builtin_inff(), vminnmq_f32(vminnmq_f32(a.q0, a.q2), vminnmq_f32(a.q1, a.q3)));
}

// q + offset, clamped to a signed byte.
ERT_LANES void store_bytes(int8_t* dst, float32x4_t q, int32_t offset) {
  const int32x4_t sum = vaddq_n_s32(vcvtnq_s32_f32(q), offset);
  vstrbq_s32(dst, vminq_s32(vmaxq_s32(sum, vdupq_n_s32(-128)), vdupq_n_s32(127)));
}
ERT_LANES void store_digits(int8_t* hi, int8_t* lo, float32x4_t value) {
  const int32x4_t q = vcvtnq_s32_f32(value), high = vrshrq_n_s32(q, 7);
  vstrbq_s32(hi, high);
  vstrbq_s32(lo, vsubq_s32(q, vshlq_n_s32(high, 7)));
}

template <bool kSmooth>
RowScale quantize8(size_t k, const float* src, const float* inv_smooth, int8_t* dst) {
  Lanes lo = broadcast(0.0f), hi = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) {
        lo = minimum(y, lo);
        hi = maximum(y, hi);
      });
  const float lowest = smallest(lo);
  const float range = largest(hi) - lowest;
  RowScale scale = {0.0f, 0};
  float inv = 0.0f;
  if (range >= kZeroRange) {
    inv = kMaxQa8 / range;
    scale = {range / kMaxQa8, vcvtnq_s32_f32(vdupq_n_f32((0.0f - lowest) * inv))[0]};
  }
  const Lanes factor = broadcast(inv);
  const int32_t offset = scale.zero_point - 128;
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) {
        const Lanes q = y * factor;
        store_bytes(dst + i, q.q0, offset);
        store_bytes(dst + i + 4, q.q1, offset);
        store_bytes(dst + i + 8, q.q2, offset);
        store_bytes(dst + i + 12, q.q3, offset);
      });
  return scale;
}

template <bool kSmooth>
RowScale quantize16(size_t k, const float* src, const float* inv_smooth, int8_t* hi, int8_t* lo) {
  Lanes max = broadcast(0.0f);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t, Lanes y) __attribute__((always_inline)) { max = maximum(absolute(y), max); });
  const float absmax = largest(max);
  const bool zero = !(absmax >= kZeroRange);
  const Lanes factor = broadcast(zero ? 0.0f : kMaxQ16 / absmax);
  for_blocks<kSmooth>(
      k, src, inv_smooth, [&](size_t i, Lanes y) __attribute__((always_inline)) {
        const Lanes q = y * factor;
        store_digits(hi + i, lo + i, q.q0);
        store_digits(hi + i + 4, lo + i + 4, q.q1);
        store_digits(hi + i + 8, lo + i + 8, q.q2);
        store_digits(hi + i + 12, lo + i + 12, q.q3);
      });
  return {zero ? 0.0f : absmax / kMaxQ16, 0};
}

}  // namespace

size_t rowbytes_qa8_f32_1x16_mve(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x16_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes)
    scales[i] = inv_smooth != nullptr ? quantize8<true>(k, src, inv_smooth, row) : quantize8<false>(k, src, nullptr, row);
}

void gelucoarse_f32_f32_1x16_mve(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_mve(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                   size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x16_mve, quantize_qa8_f32_1x16_mve>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                             scales);
}

size_t rowbytes_qa16_f32_1x16_mve(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x16_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  int8_t* row = static_cast<int8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    int8_t* lo = row + row_bytes / 2;
    scales[i] =
        inv_smooth != nullptr ? quantize16<true>(k, src, inv_smooth, row, lo) : quantize16<false>(k, src, nullptr, row, lo);
  }
}

}  // namespace ert::kernels
