// Rows of fp32 to 15-bit values as int16, or to two rows of int16 digits for long rows (contract/exact_sums.h).
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/sse41/quantize_row.h"
#include "kernels_int8/simd/quantize16.h"

namespace ert::kernels {
namespace {

ERT_LANES void store16(int8_t* dst, Integers q) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), q.low);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + 16), q.high);
}

// q = 128 * hi + lo with lo in [-64, 63]; |q| <= 16256, so that q + 64 fits int16.
ERT_LANES __m128i high_digit(__m128i q) { return _mm_srai_epi16(_mm_add_epi16(q, _mm_set1_epi16(64)), 7); }
ERT_LANES __m128i low_digit(__m128i q, __m128i hi) { return _mm_sub_epi16(q, _mm_slli_epi16(hi, 7)); }

}  // namespace

size_t rowbytes_qa16_f32_1x16_sse41(size_t k) { return (k <= kOneSumMaxK ? 1 : 2) * round_up(2 * k, 64); }

void quantize_qa16_f32_1x16_sse41(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                  size_t row_bytes, RowScale* scales) {
  const auto store = [=](int8_t * row, size_t i, Lanes y) __attribute__((always_inline)) {
    const Integers q = rounded(y);
    if (k <= kOneSumMaxK) {
      store16(row + 2 * i, q);
      return;
    }
    const Integers hi = {high_digit(q.low), high_digit(q.high)};
    store16(row + 2 * i, hi);
    store16(row + row_bytes / 2 + 2 * i, {low_digit(q.low, hi.low), low_digit(q.high, hi.high)});
  };
  quantize_symmetric_rows(kMaxQ16, m, k, src, src_stride, inv_smooth, dst, row_bytes, scales, store);
}

}  // namespace ert::kernels
