// Convolution over 8-bit maps for SSE4.1: 2 outputs x 16 filters of signs and magnitudes (signed_bytes.h), into which patches are turned piece by piece.
#include "kernels_int8/sse41/map_sums_sse41.h"

namespace ert::kernels {
namespace {

constexpr int kMapOutputs = 2;
constexpr size_t kPiece = 512;  // values of a patch that are turned at a time

// Products are of q - 128.
ERT_LANES Sums start_of_patches(const int32_t* colsum, int32_t zero_point) { return column_multiple(colsum, 128 - zero_point); }

// All bits of the first n bytes, n < 16.
ERT_LANES __m128i first_bytes(size_t n) {
  const __m128i place = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(n)), place);
}

// A row of signed_bytes.h of n bytes; what is written is rounded up to 16. Returns what its sums lack.
inline int32_t to_signed(const uint8_t* src, size_t n, uint8_t* row) {
  const __m128i zero = _mm_set1_epi8(-128);
  __m128i lack = _mm_setzero_si128();
  for (size_t i = 0; i < n; i += 16, row += 4 * kRowLineBytes) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i));
    __m128i below = _mm_subs_epu8(zero, q);
    if (n - i < 16) below = _mm_and_si128(below, first_bytes(n - i));
    lack = _mm_add_epi64(lack, _mm_sad_epu8(below, _mm_setzero_si128()));
    store_with_signs(row, _mm_xor_si128(q, zero));
  }
  return sum_of_parts(lack);
}

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&sums)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  alignas(16) uint8_t rows[kOutputs][2 * kPiece];
  const __m128i ones = _mm_set1_epi16(1);
  __m128i acc[kOutputs][4];
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) acc[r][j] = sums[r].part[j];
  }
  for (size_t from = 0; from < k; from += kPiece) {
    const size_t n = k - from < kPiece ? k - from : kPiece;
#pragma GCC unroll 16
    for (size_t r = 0; r < kOutputs; ++r) {
      const __m128i lack = _mm_set1_epi32(to_signed(src + r * step + from, n, rows[r]));
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc[r][j] = _mm_add_epi32(acc[r][j], lack);
    }
    const uint8_t* row = rows[0];
    size_t c = 0;
    for (; c + 8 <= n; c += 8, weights += 2 * kLineBytes, row += 2 * kRowLineBytes)
      add_lines<kOutputs, false>(acc, row, 2 * kPiece, weights, ones);
    if (c < n) {
      add_last_line(acc, row, 2 * kPiece, weights, ones);
      weights += kLineBytes;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) sums[r].part[j] = acc[r][j];
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"

namespace ert::kernels {

void mapconv_f32_qm8_qw8_2x16_sse41(const MapConvArgs& a) { map_conv16(a); }

}  // namespace ert::kernels
