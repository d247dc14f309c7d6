// Rows of fp32 to the rows of simd/quantize16.h, W8A8 and W8A16.
#include "kernels_int8/mve/lanes16_mve.h"
#include "kernels_int8/ref/gelu_quantize.h"

namespace ert::kernels {
namespace {

constexpr size_t kRowBytesPerValue = 1;

// By bits, as in ref/quantize_row.h: the instructions' own maximum loses NaN.
ERT_LANES float32x4_t maximum4(float32x4_t a, float32x4_t b) {
  return vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(b)));
}
ERT_LANES float32x4_t minimum4(float32x4_t a, float32x4_t b) {
  return vreinterpretq_f32_u32(vmaxq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
ERT_LANES Lanes maximum(Lanes a, Lanes b) {
  return {maximum4(a.q0, b.q0), maximum4(a.q1, b.q1), maximum4(a.q2, b.q2), maximum4(a.q3, b.q3)};
}
ERT_LANES Lanes minimum(Lanes a, Lanes b) {
  return {minimum4(a.q0, b.q0), minimum4(a.q1, b.q1), minimum4(a.q2, b.q2), minimum4(a.q3, b.q3)};
}
ERT_LANES float greatest(Lanes a) {
  const float32x4_t four = maximum4(maximum4(a.q0, a.q2), maximum4(a.q1, a.q3));
  return __builtin_bit_cast(float, vmaxvq_s32(0, vreinterpretq_s32_f32(four)));
}
ERT_LANES float smallest(Lanes a) {
  const float32x4_t four = minimum4(minimum4(a.q0, a.q2), minimum4(a.q1, a.q3));
  return __builtin_bit_cast(float, vmaxvq_u32(0x80000000u, vreinterpretq_u32_f32(four)));
}

ERT_LANES int32_t nearest_integer(float x) { return vcvtnq_s32_f32(vdupq_n_f32(x))[0]; }

ERT_LANES void store_bytes4(int8_t* dst, float32x4_t q, int32_t offset) {
  const int32x4_t sum = vaddq_n_s32(vcvtnq_s32_f32(q), offset);
  vstrbq_s32(dst, vminq_s32(vmaxq_s32(sum, vdupq_n_s32(-128)), vdupq_n_s32(127)));
}
ERT_LANES void store_bytes(int8_t* dst, Lanes q, int32_t offset) {
  store_bytes4(dst, q.q0, offset);
  store_bytes4(dst + 4, q.q1, offset);
  store_bytes4(dst + 8, q.q2, offset);
  store_bytes4(dst + 12, q.q3, offset);
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/mve/store_digits.h"
#include "kernels_int8/simd/quantize16.h"

namespace ert::kernels {

size_t rowbytes_qa8_f32_1x16_mve(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x16_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  quantize_qa8_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
}

void gelucoarse_f32_f32_1x4_mve(size_t n, const float* src, float* dst);

void geluquantize_qa8_f32_1x16_mve(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                   size_t row_bytes, RowScale* scales) {
  gelu_then_quantize<gelucoarse_f32_f32_1x4_mve, quantize_qa8_f32_1x16_mve>(m, k, src, src_stride, inv_smooth, dst, row_bytes,
                                                                            scales);
}

size_t rowbytes_qa16_f32_1x16_mve(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x16_mve(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales) {
  const auto store = [=](int8_t * row, size_t i, Lanes y) __attribute__((always_inline)) {
    store_digits(row + i, row + row_bytes / 2 + i, y);
  };
  quantize_qa16_rows(m, k, src, src_stride, inv_smooth, dst, row_bytes, scales, store);
}

}  // namespace ert::kernels
