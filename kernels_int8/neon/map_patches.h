// Patches of a map as rows of signed bytes, piece by piece, for the inner loop of a level's GEMM. Internal linkage.
#pragma once

#include "kernels_int8/neon/map_sums.h"

namespace ert::kernels {
namespace {

constexpr size_t kPiece = 512;  // values of a patch that are turned at a time

// Product: run(int32x4_t (&sums)[kOutputs][4], lhs, row_bytes, rhs, panel_bytes, k4) sets sums.
template <class Product, int kOutputs>
ERT_LANES void multiply_signed(Sums (&acc)[kOutputs], const uint8_t* src, size_t step, const int8_t* weights, size_t k) {
  alignas(16) int8_t rows[kOutputs][kPiece];
  for (size_t from = 0; from < k; from += kPiece) {
    const size_t n = k - from < kPiece ? k - from : kPiece;
    for (size_t r = 0; r < kOutputs; ++r) {
      const uint8_t* patch = src + r * step + from;
      for (size_t i = 0; i < n; i += 16) vst1q_s8(rows[r] + i, signed_bytes(patch + i));
    }
    int32x4_t sums[kOutputs][4];
    Product::run(sums, rows[0], kPiece, weights + 16 * from, 16 * k, n);
#pragma GCC unroll 16
    for (int r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc[r].part[j] = vaddq_s32(acc[r].part[j], sums[r][j]);
    }
  }
}

}  // namespace
}  // namespace ert::kernels
