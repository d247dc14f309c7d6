// Convolution over 8-bit maps with smmla: 6 outputs x 8 filters, outputs in pairs. dotprod's does short patches, and those of which map_halves.h has no room for a few.
#include "kernels_int8/dotprod/raised_map_sums.h"
#include "kernels_int8/i8mm/gemm_tile.h"
#include "kernels_int8/neon/map_halves.h"

namespace ert::kernels {

void mapconv_f32_qm8_qw8_6x8_dotprod(const MapConvArgs& a);

namespace {

// Of so few values sdot has no more instructions, and none that part the outputs.
constexpr size_t kDepthOfDot = 12;

struct MatrixMapSums {
  static constexpr int32_t kStart = 0;
  static constexpr bool kFirstRowApart = true;
  static constexpr size_t kOutputsAtOnce = 2;
  static inline __attribute__((always_inline)) float32x4_t to_floats(int32x4_t sum) { return vcvtq_f32_s32(sum); }

  // Eight k at a time: registers are left for sums of sixteen no more.
  template <int kOutputs, int kHeld>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kHeld][2], const int8_t* lhs, size_t step, const int8_t* rhs,
                                                        size_t k4, const int32_t* start, const LineBlocks*) {
    using T = MatrixSums::Tile<kOutputs, 2>;
    static_assert(2 * T::kPairs == kHeld, "pairs");
    const int8_t* row[kHeld];
    T t;
#pragma GCC unroll 8
    for (int p = 0; p < T::kPairs; ++p) {
      row[2 * p] = lhs + static_cast<size_t>(2 * p) * step;
      row[2 * p + 1] = 2 * p + 1 < kOutputs ? row[2 * p] + step : row[2 * p];
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) t.acc[p][c] = load_start(start + 4 * c);
    }
    const auto eight = [&](size_t kk, bool both) __attribute__((always_inline)) {
      int8x16_t a[T::kPairs];
#pragma GCC unroll 4
      for (int p = 0; p < T::kPairs; ++p) a[p] = vcombine_s8(vld1_s8(row[2 * p] + kk), vld1_s8(row[2 * p + 1] + kk));
      t.step(a, rhs + 16 * kk, both);
    };
    size_t kk = 0;
    for (; kk + 8 <= k4; kk += 8) eight(kk, true);
    if (kk < k4) eight(kk, false);
#pragma GCC unroll 4
    for (int p = 0; p < T::kPairs; ++p) {
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) acc[2 * p + c / 2][c % 2] = t.acc[p][c];
    }
  }
};

}  // namespace

void mapconv_f32_qm8_qw8_6x8_i8mm(const MapConvArgs& a) {
  if (a.depth <= kDepthOfDot) return mapconv_f32_qm8_qw8_6x8_dotprod(a);
  const bool done = a.depth <= kDepthOfRaised ? map_conv_halves<RaisedMapSums<MatrixMapSums>, 6>(a) : map_conv_halves<MatrixMapSums, 6>(a);
  if (!done) mapconv_f32_qm8_qw8_6x8_dotprod(a);
}

}  // namespace ert::kernels
