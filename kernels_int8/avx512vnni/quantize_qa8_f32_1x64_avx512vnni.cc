// Rows of fp32 to u8 with a zero point, in two passes per row: range (of GELU where that comes before), then scale, round and pack.

// The lanes come before what is written in them.
// clang-format off
#include "kernels_int8/avx512vnni/lanes16_avx512.h"
#include "kernels_int8/simd/elementary16.h"
// clang-format on

#include "kernels_int8/avx512vnni/short_rows.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

template <bool kSmooth>
Range range_of_row(size_t k, const float* src, const float* inv_smooth) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m512 y = load16<kSmooth>(src, inv_smooth, i + 16 * j);
      extend(y, &lo[j], &hi[j]);
    }
  }
  for (; i < k; i += 16) {
    const __m512 y = load16<kSmooth>(src, inv_smooth, i, lane_mask(k - i));
    extend(y, &lo[0], &hi[0]);
  }
  return range_of_lanes(lo, hi);
}

// Values [i, i + 64) of GELU, smoothed, to src and into the range.
template <bool kSmooth>
inline __attribute__((always_inline)) void keep_four(Lanes4 y, size_t i, float* src, const float* inv_smooth, __m512i (&lo)[4],
                                                     __m512i (&hi)[4]) {
  if (kSmooth) y = y * load4(inv_smooth + i);
  const __m512 part[4] = {y.a.v, y.b.v, y.c.v, y.d.v};
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) extend(part[j], &lo[j], &hi[j]);
  store4(src + i, y);
}

// The range of GELU, whose smoothed values replace src. Twelve vectors side by side: four would leave the pipelines waiting for results.
template <bool kSmooth>
Range range_of_gelu(size_t k, float* src, const float* inv_smooth) {
  __m512i lo[4], hi[4];
  for (int j = 0; j < 4; ++j) lo[j] = _mm512_set1_epi32(INT32_MIN), hi[j] = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 192 <= k; i += 192) {
    const Lanes12 y = gelu_coarse(Lanes12{load4(src + i), load4(src + i + 64), load4(src + i + 128)});
    keep_four<kSmooth>(y.a, i, src, inv_smooth, lo, hi);
    keep_four<kSmooth>(y.b, i + 64, src, inv_smooth, lo, hi);
    keep_four<kSmooth>(y.c, i + 128, src, inv_smooth, lo, hi);
  }
  for (; i + 64 <= k; i += 64) keep_four<kSmooth>(gelu_coarse(load4(src + i)), i, src, inv_smooth, lo, hi);
  for (; i < k; i += 16) {
    const __mmask16 mask = lane_mask(k - i);
    Lanes y = gelu_coarse(Lanes{_mm512_maskz_loadu_ps(mask, src + i)});
    if (kSmooth) y = y * Lanes{_mm512_maskz_loadu_ps(mask, inv_smooth + i)};
    extend(y.v, &lo[0], &hi[0]);
    _mm512_mask_storeu_ps(src + i, mask, y.v);
  }
  return range_of_lanes(lo, hi);
}

// Values to bytes, steps of a value of 1 and the zero point given.
template <bool kSmooth>
inline __attribute__((always_inline)) void quantize_with(size_t k, const float* src, const float* inv_smooth, __m512 inv,
                                                         int32_t zero_point, uint8_t* dst) {
  const __m512i zero_point16 = _mm512_set1_epi16(static_cast<int16_t>(zero_point));
  size_t i = 0;
  for (; i + 64 <= k; i += 64) {
    __m512i q[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) q[j] = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, i + 16 * j), inv));
    _mm512_storeu_si512(dst + i, pack_u8(q, zero_point16));
  }
  for (; i < k; i += 16) {
    const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(load16<kSmooth>(src, inv_smooth, i, lane_mask(k - i)), inv));
    const __m512i moved = _mm512_max_epi32(_mm512_add_epi32(q, _mm512_set1_epi32(zero_point)), _mm512_setzero_si512());
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(dst + i)), _mm512_cvtusepi32_epi8(moved));
  }
}

template <bool kSmooth>
void quantize_row(size_t k, const float* src, const float* inv_smooth, Range of_row, uint8_t* dst, RowScale* scale) {
  const __m512 inv = _mm512_set1_ps(steps_of(of_row, scale));
  quantize_with<kSmooth>(k, src, inv_smooth, inv, scale->zero_point, dst);
}

// One copy for all but the shortest rows, which would wait for the call.
__attribute__((noinline)) void find_steps_apart(const WithZeroPoint::Rows& lanes, Steps* steps) { lanes.find_steps(steps); }

// Rows of 16 * (kVectors - 1) + 1 to 16 * kVectors values, m <= kRowsAtOnce, without loops along a row. Factors stay in registers where these are enough.
template <bool kSmooth, int kVectors>
__attribute__((noinline)) void quantize_unrolled_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride,
                                                      const float* inv_smooth, uint8_t* dst, size_t row_bytes, RowScale* scales) {
  const __mmask16 last = lane_mask(k - 16 * (kVectors - 1));
  const auto mask = [&](int j) __attribute__((always_inline)) {
    return j + 1 < kVectors ? static_cast<__mmask16>(0xffff) : last;
  };
  __m512 factors[kVectors];
#pragma GCC unroll 16
  for (int j = 0; kSmooth && j < kVectors; ++j) factors[j] = _mm512_maskz_loadu_ps(mask(j), inv_smooth + 16 * j);
  const auto value = [&](const float* row, int j) __attribute__((always_inline)) {
    const __m512 x = _mm512_maskz_loadu_ps(mask(j), row + 16 * j);
    return kSmooth ? _mm512_mul_ps(x, factors[j]) : x;
  };
  WithZeroPoint::Rows lanes;
  const float* from = src;
  for (size_t r = 0; r < kRowsAtOnce; ++r, from += src_stride) {
    WithZeroPoint of_row;
    if (r < m) {
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) of_row.include(value(from, j));
    }
    lanes.set(r, of_row);
  }
  Steps steps;
  if constexpr (kVectors <= 2) {
    lanes.find_steps(&steps);
  } else {
    find_steps_apart(lanes, &steps);
  }
  for (size_t r = 0; r < m; ++r, src += src_stride, dst += row_bytes) {
    scales[r] = {steps.scale[r], steps.zero_point[r]};
    const __m512 inv = _mm512_set1_ps(steps.inv[r]);
    const __m512i zero_point = _mm512_set1_epi32(steps.zero_point[r]);
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      // Not below 0: the least value is rounded as its opposite was.
      const __m512i q = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(value(src, j), inv)), zero_point);
      _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(dst + 16 * j)), _mm512_cvtusepi32_epi8(q));
    }
  }
}

using QuantizeShortRowsFn = void (*)(size_t, size_t, const float*, ptrdiff_t, const float*, uint8_t*, size_t, RowScale*);

// The usual lengths in convolutional networks have code of their own.
template <bool kSmooth>
void quantize_short_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst,
                         size_t row_bytes, RowScale* scales) {
  constexpr QuantizeShortRowsFn kUnrolled[] = {quantize_unrolled_rows<kSmooth, 1>,
                                               quantize_unrolled_rows<kSmooth, 2>,
                                               quantize_unrolled_rows<kSmooth, 3>,
                                               quantize_unrolled_rows<kSmooth, 4>,
                                               nullptr,
                                               quantize_unrolled_rows<kSmooth, 6>,
                                               nullptr,
                                               quantize_unrolled_rows<kSmooth, 8>,
                                               quantize_unrolled_rows<kSmooth, 9>,
                                               nullptr,
                                               nullptr,
                                               quantize_unrolled_rows<kSmooth, 12>};
  const size_t vectors = (k + 15) / 16;
  if (vectors <= sizeof(kUnrolled) / sizeof(kUnrolled[0]) && kUnrolled[vectors - 1] != nullptr)
    return kUnrolled[vectors - 1](m, k, src, src_stride, inv_smooth, dst, row_bytes, scales);
  Steps steps;
  find_steps_of_rows<WithZeroPoint, kSmooth>(m, k, src, src_stride, inv_smooth, &steps);
  for (size_t r = 0; r < m; ++r, src += src_stride, dst += row_bytes) {
    scales[r] = {steps.scale[r], steps.zero_point[r]};
    quantize_with<kSmooth>(k, src, inv_smooth, _mm512_set1_ps(steps.inv[r]), steps.zero_point[r], dst);
  }
}

}  // namespace

size_t rowbytes_qa8_f32_1x64_avx512vnni(size_t k) { return round_up(k, 64); }

void quantize_qa8_f32_1x64_avx512vnni(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                      void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  size_t i = 0;
  while (k <= kShortRow && m - i >= kLeastRowsAtOnce) {
    const size_t rows = m - i < kRowsAtOnce ? m - i : kRowsAtOnce;
    const auto quantize = inv_smooth != nullptr ? quantize_short_rows<true> : quantize_short_rows<false>;
    quantize(rows, k, src, src_stride, inv_smooth, row, row_bytes, scales + i);
    src += static_cast<ptrdiff_t>(rows) * src_stride;
    row += rows * row_bytes;
    i += rows;
  }
  for (; i < m; ++i, src += src_stride, row += row_bytes) {
    if (inv_smooth != nullptr) {
      quantize_row<true>(k, src, inv_smooth, range_of_row<true>(k, src, inv_smooth), row, scales + i);
    } else {
      quantize_row<false>(k, src, nullptr, range_of_row<false>(k, src, nullptr), row, scales + i);
    }
  }
}

void geluquantize_qa8_f32_1x64_avx512vnni(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                          void* dst, size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    const Range range = inv_smooth != nullptr ? range_of_gelu<true>(k, src, inv_smooth) : range_of_gelu<false>(k, src, nullptr);
    quantize_row<false>(k, src, nullptr, range, row, scales + i);
  }
}

}  // namespace ert::kernels
