// Convolution over 8-bit maps for AVX2: 4 outputs x 16 filters. Rows of the map are turned into lines of signed_bytes.h, each value once for all
// patches and filters (turned_rows.h). Patches that are too deep for that are turned piece by piece and keep the bytes a themselves: what sums of pieces
// would lack takes longer than vpsignb.
#include "kernels_int8/avx2/map_sums_avx2.h"

namespace ert::kernels {
namespace {

constexpr int kMapOutputs = 4;
constexpr size_t kPiece = 512;  // values of a patch that are turned at a time

// Products are of q - 128.
ERT_LANES Sums start_of_patches(const int32_t* colsum, int32_t zero_point) { return column_multiple(colsum, 128 - zero_point); }

// For each line of weights four bytes a and four bytes |a|, of n bytes, n rounded up to 16.
inline void to_signed(const uint8_t* src, size_t n, uint8_t* row) {
  for (size_t i = 0; i < n; i += 16, row += 4 * kRowLineBytes) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i));
    const __m128i a = _mm_xor_si128(q, _mm_set1_epi8(-128)), magnitude = _mm_abs_epi8(a);
    _mm_store_si128(reinterpret_cast<__m128i*>(row), _mm_unpacklo_epi32(a, magnitude));
    _mm_store_si128(reinterpret_cast<__m128i*>(row + 16), _mm_unpackhi_epi32(a, magnitude));
  }
}

// One line of one patch, 16 columns.
inline __attribute__((always_inline)) void add_signed_line(__m256i (&acc)[2], const uint8_t* row, __m256i w0, __m256i w1, __m256i ones) {
  ERT_ADD_LINE("vpsignb");
}

template <int kOutputs>
ERT_LANES void multiply_patches(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  alignas(32) uint8_t rows[kOutputs][2 * kPiece];
  const __m256i ones = ones16();
  for (size_t from = 0; from < k; from += kPiece) {
    const size_t n = k - from < kPiece ? k - from : kPiece;
    for (size_t r = 0; r < kOutputs; ++r) to_signed(src + r * step + from, n, rows[r]);
    const uint8_t* row = rows[0];
    for (size_t c = 0; c < n; c += 4, weights += kLineBytes, row += kRowLineBytes) {
      const __m256i w0 = load_bytes(weights), w1 = load_bytes(weights + 32);
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) add_signed_line(acc[r].part, row + static_cast<size_t>(r) * 2 * kPiece, w0, w1, ones);
    }
  }
}

}  // namespace
}  // namespace ert::kernels

#include "kernels_int8/loops/map_conv16.h"
#include "kernels_int8/avx2/turned_rows.h"

namespace ert::kernels {
namespace {

__attribute__((noinline)) void in_pieces(const MapConvArgs& a) { map_conv16(a); }

}  // namespace

void mapconv_f32_qm8_qw8_4x16_avx2(const MapConvArgs& a) {
  const size_t most = TurnedRows::most_outputs(a);
  if (most < kMapOutputs && most < a.outputs) return in_pieces(a);
  TurnedRows rows;
  for_even_blocks<kMapOutputs>(a.outputs, most < a.outputs ? most / kMapOutputs * kMapOutputs : round_up(most, kMapOutputs),
                               [&](size_t first, size_t outputs) {
                                 MapConvArgs part = a;
                                 part.outputs = outputs;
                                 part.dst += static_cast<ptrdiff_t>(first) * a.dst_stride;
                                 rows.turn(a, first, outputs);
                                 map_conv16(part, rows);
                               });
}

}  // namespace ert::kernels
