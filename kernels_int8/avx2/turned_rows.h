// Rows of an 8-bit map as lines of signed_bytes.h, for some outputs of a convolution. Patches that begin 16 values apart share the lines of what they have in
// common; others have lines of their own. Internal linkage.
#pragma once

#include "kernels_int8/avx2/map_sums_avx2.h"

namespace ert::kernels {
namespace {

class TurnedRows {
 public:
  // Outputs whose patches fit.
  static size_t most_outputs(const MapConvArgs& a) {
    const size_t blocks = a.rows == 0 ? kBlocks : kBlocks / a.rows, patch = (a.depth + kBlock - 1) / kBlock;
    if (patch > blocks) return 0;
    if (!shares(a)) return blocks / patch;
    return a.src_step == 0 ? a.outputs : (blocks - patch) / (a.src_step / kBlock) + 1;
  }

  void turn(const MapConvArgs& a, size_t first, size_t outputs) {
    const size_t patch = (a.depth + kBlock - 1) / kBlock;
    step_ = shares(a) ? a.src_step / kBlock : patch;
    per_patch_ = patch;
    per_row_ = (outputs - 1) * step_ + patch;
    int32_t lack = 0;
    uint8_t* to = lines_;
    int32_t* before = lacks_;
    for (size_t i = 0; i < a.rows; ++i) {
      const uint8_t* src = a.src[i] + first * a.src_step;
      if (shares(a)) {
        for (size_t b = 0; b < per_row_; ++b) turn_block(src + b * kBlock, kBlock, &to, &before, &lack);
      } else {
        for (size_t p = 0; p < outputs; ++p, src += a.src_step)
          for (size_t from = 0; from < a.depth; from += kBlock)
            turn_block(src + from, a.depth - from < kBlock ? round_up(a.depth - from, 4) : kBlock, &to, &before, &lack);
      }
    }
    *before = lack;
  }

  // As of PatchesInPlace, for the outputs that were turned last.
  template <int kOutputs>
  ERT_LANES void sum(Sums (&acc)[kOutputs], const MapConvArgs& a, size_t i, size_t first, const int32_t* colsum, const int8_t* weights,
                     size_t k) const {
    const Sums start = column_multiple(colsum, 128 - a.scales[i].zero_point);
    const size_t block = i * per_row_ + first * step_, step = step_ * kBlockBytes;
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
      const int32_t* lack = lacks_ + block + static_cast<size_t>(r) * step_;
      const __m256i lacking = _mm256_set1_epi32(lack[per_patch_] - lack[0]);
      acc[r] = {{_mm256_add_epi32(start.part[0], lacking), _mm256_add_epi32(start.part[1], lacking)}};
    }
    const __m256i ones = ones16();
    const uint8_t* row = lines_ + block * kBlockBytes;
    for (size_t c = 0; c < k; c += 4, weights += kLineBytes, row += kRowLineBytes) {
      const __m256i w0 = load_bytes(weights), w1 = load_bytes(weights + 32);
#pragma GCC unroll 16
      for (int r = 0; r < kOutputs; ++r) add_line(acc[r].part, row + static_cast<size_t>(r) * step, w0, w1, ones);
    }
  }

 private:
  static constexpr size_t kBlock = 16, kBlockBytes = kBlock / 4 * kRowLineBytes;  // values that are turned at a time, and bytes of their lines
  static constexpr size_t kBlocks = 256;                                          // of all rows: stacks have 16 KB

  static bool shares(const MapConvArgs& a) { return a.src_step % kBlock == 0 && a.depth % kBlock == 0; }

  // A block of which the first n values count, n a multiple of 4. `before`: what the blocks before it lack.
  static void turn_block(const uint8_t* src, size_t n, uint8_t** to, int32_t** before, int32_t* lack) {
    const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
    const __m128i a = _mm_xor_si128(q, _mm_set1_epi8(-128)), magnitude = _mm_abs_epi8(a);
    const __m128i sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    _mm_store_si128(reinterpret_cast<__m128i*>(*to), _mm_unpacklo_epi32(sign, magnitude));
    _mm_store_si128(reinterpret_cast<__m128i*>(*to + 16), _mm_unpackhi_epi32(sign, magnitude));
    *to += kBlockBytes;
    *(*before)++ = *lack;
    const __m128i live = _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(n)), _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m128i sums = _mm_sad_epu8(_mm_and_si128(_mm_and_si128(sign, live), magnitude), _mm_setzero_si128());
    *lack += _mm_cvtsi128_si32(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums)));
  }

  alignas(32) uint8_t lines_[kBlocks * kBlockBytes];
  int32_t lacks_[kBlocks + 1];
  size_t step_, per_patch_, per_row_;  // blocks between patches, of a patch, of a row
};

}  // namespace
}  // namespace ert::kernels
