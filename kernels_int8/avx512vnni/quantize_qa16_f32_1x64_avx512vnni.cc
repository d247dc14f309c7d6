// Rows of fp32 to two rows of digits + 128 as u8: the high digits first, the low ones row_bytes / 2 later.
#include "kernels_int8/avx512vnni/symmetric_rows.h"
#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __m512i pack_digits(const __m512i (&q)[4]) {
  const __m512i packed = _mm512_packs_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_xor_si512(_mm512_permutexvar_epi32(order, packed), _mm512_set1_epi8(-128));
}

template <bool kSmooth>
void digits_of_rows(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, uint8_t* dst, size_t row_bytes,
                    RowScale* scales) {
  const auto store = [&](size_t row, size_t i, const __m512i(&q)[4]) __attribute__((always_inline)) {
    __m512i hi[4], lo[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      hi[j] = _mm512_srai_epi32(_mm512_add_epi32(q[j], _mm512_set1_epi32(64)), 7);
      lo[j] = _mm512_sub_epi32(q[j], _mm512_slli_epi32(hi[j], 7));
    }
    uint8_t* to = dst + row * row_bytes + i;
    _mm512_storeu_si512(to, pack_digits(hi));
    _mm512_storeu_si512(to + row_bytes / 2, pack_digits(lo));
  };
  quantize_symmetric_rows<static_cast<int>(kMaxQ16), kSmooth>(m, k, src, src_stride, inv_smooth, scales, store);
}

}  // namespace

size_t rowbytes_qa16_f32_1x64_avx512vnni(size_t k) { return 2 * round_up(k, 64); }

void quantize_qa16_f32_1x64_avx512vnni(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth,
                                       void* dst, size_t row_bytes, RowScale* scales) {
  const auto rows = inv_smooth != nullptr ? digits_of_rows<true> : digits_of_rows<false>;
  rows(m, k, src, src_stride, inv_smooth, static_cast<uint8_t*>(dst), row_bytes, scales);
}

}  // namespace ert::kernels
