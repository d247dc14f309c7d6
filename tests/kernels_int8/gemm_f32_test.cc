// fp32 GEMM of every level against the reference, bit for bit: tails, strides, transposed lhs, extreme values.
#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class GemmF32Test : public LevelTest {
 protected:
  struct Shape {
    size_t m, n, k;
  };
  void compare(Shape s, Fill fill, bool transposed_lhs, bool with_bias, SeededRandom& random) {
    const size_t pad = static_cast<size_t>(random.integer(0, 3));
    const size_t rhs_stride = s.n + pad, dst_stride = s.n + pad;
    // The last row has no padding: it ends at the guard page.
    GuardedBuffer<float> lhs(s.m * s.k), rhs((s.k - 1) * rhs_stride + s.n), bias(s.n);
    GuardedBuffer<float> want((s.m - 1) * dst_stride + s.n), got((s.m - 1) * dst_stride + s.n);
    fill_row(lhs, fill, random);
    fill_row(rhs, fill == Fill::kHuge ? Fill::kTiny : fill, random);
    fill_row(bias, Fill::kNormal, random);
    const ptrdiff_t row = transposed_lhs ? 1 : static_cast<ptrdiff_t>(s.k);
    const ptrdiff_t step = transposed_lhs ? static_cast<ptrdiff_t>(s.m) : 1;
    for (int pass = 0; pass < 2; ++pass) {
      const KernelTable& t = pass == 0 ? ref() : kernels();
      t.gemm_f32(s.m, s.n, s.k, lhs.data(), row, step, rhs.data(), static_cast<ptrdiff_t>(rhs_stride),
                 with_bias ? bias.data() : nullptr, (pass == 0 ? want : got).data(), static_cast<ptrdiff_t>(dst_stride));
    }
    ASSERT_TRUE(all_same_bits(want.size(), want.data(), got.data()))
        << s.m << "x" << s.n << "x" << s.k << " " << fill_name(fill) << " transposed " << transposed_lhs;
  }
};

TEST_P(GemmF32Test, Tails) {
  SeededRandom random;
  for (size_t m : {1, 2, 3, 5, 6, 7, 8, 9, 12, 13, 17}) {
    for (size_t n : {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 95, 96, 97, 130}) {
      for (size_t k : {1, 2, 33}) compare({m, n, k}, Fill::kNormal, (n & 1) != 0, (m & 1) != 0, random);
    }
  }
}

// Levels may take rows together where there is one column.
TEST_P(GemmF32Test, OneColumn) {
  SeededRandom random;
  for (size_t m : {15, 16, 17, 32, 47, 64})
    for (size_t k : {1, 15, 16, 17, 64, 83}) compare({m, 1, k}, Fill::kNormal, (k & 4) != 0, (m & 1) != 0, random);
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) compare({33, 1, 70}, static_cast<Fill>(fill), false, true, random);
}

// Levels may take rows in pairs where eight columns are left.
TEST_P(GemmF32Test, EightColumnsOfPairsOfRows) {
  SeededRandom random;
  for (size_t m : {1, 2, 3, 7, 8, 9, 10, 16, 17, 23})
    for (size_t n : {8, 24, 40, 72}) compare({m, n, 1 + m % 5 * 7}, Fill::kNormal, (m & 2) != 0, (m & 4) != 0, random);
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) compare({19, 24, 70}, static_cast<Fill>(fill), false, true, random);
}

TEST_P(GemmF32Test, DeepAndExtreme) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    compare({7, 37, 517}, static_cast<Fill>(fill), false, true, random);
    compare({1, 100, 64}, static_cast<Fill>(fill), false, false, random);
  }
}

TEST_P(GemmF32Test, DrawnSizes) {
  SeededRandom random;
  for (int i = 0; i < 60; ++i) {
    const size_t k = drawn_size(i % 4 == 0 ? 100000 : 300, random), n = drawn_within(1 << 18, k, 300, random);
    compare({drawn_within(1 << 18, n * k, 200, random), n, k}, Fill::kNormal, i % 3 == 0, i % 2 == 0, random);
  }
}

ERT_INSTANTIATE_LEVELS(GemmF32Test);

}  // namespace
}  // namespace ert::kernels::testing
