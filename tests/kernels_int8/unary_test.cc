// Elementwise kernels and sums of every level against the reference, bit for bit.
#include <cmath>
#include <limits>

#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class UnaryTest : public LevelTest {};

constexpr size_t kSizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 384, 1000};

TEST_P(UnaryTest, EveryKindOnEveryFill) {
  SeededRandom random;
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (size_t n : kSizes) {
        GuardedBuffer<float> src(n), want(n), got(n);
        fill_row(src, static_cast<Fill>(fill), random);
        ref().unary[op](n, src.data(), want.data());
        kernels().unary[op](n, src.data(), got.data());
        ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << "op " << op << " fill " << fill_name(static_cast<Fill>(fill));
      }
    }
  }
}

// The sweep walks all exponents, both signs, infinities and the NaN of arithmetic (no payload); 997 is prime, so that all
// mantissa bits take part.
TEST_P(UnaryTest, SweepOfAllExponents) {
  constexpr size_t n = 1 << 15;
  GuardedBuffer<float> src(n), want(n), got(n);
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    uint32_t bits = 0;
    for (uint64_t block = 0; block < 5; ++block) {
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(&src[i], &bits, sizeof(bits));
        if (std::isnan(src[i])) src[i] = std::numeric_limits<float>::quiet_NaN();
        bits += 997 * 29;
      }
      ref().unary[op](n, src.data(), want.data());
      kernels().unary[op](n, src.data(), got.data());
      ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << "op " << op << " block " << block;
    }
  }
}

TEST_P(UnaryTest, DenseAroundTheBranches) {
  constexpr float kCentres[] = {-87.0f, 88.72284f, 0.55f, -0.55f, 0.75f,   -0.75f,   10.0f,    11.43f,    -11.43f,   20.0f,
                                4.0f,   -3.0f,     3.0f,  2.5f,  1.41421356f,  3.9531f, -3.9531f, 10.3972f, -10.3972f, 20.79442f, -20.79442f};
  constexpr size_t n = 513;
  GuardedBuffer<float> src(n), want(n), got(n);
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    for (float centre : kCentres) {
      const uint32_t first = ert::testing::float_bits(centre) - n / 2;
      for (size_t i = 0; i < n; ++i) {
        const uint32_t bits = first + static_cast<uint32_t>(i);
        std::memcpy(&src[i], &bits, sizeof(bits));
      }
      ref().unary[op](n, src.data(), want.data());
      kernels().unary[op](n, src.data(), got.data());
      ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << "op " << op << " around " << centre;
    }
  }
}

TEST_P(UnaryTest, InPlace) {
  SeededRandom random;
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    GuardedBuffer<float> src(77), want(77);
    fill_row(src, Fill::kNormal, random);
    ref().unary[op](77, src.data(), want.data());
    kernels().unary[op](77, src.data(), src.data());
    ASSERT_TRUE(all_same_bits(77, want.data(), src.data())) << "op " << op;
  }
}

TEST_P(UnaryTest, Sums) {
  SeededRandom random;
  for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
    for (size_t n : kSizes) {
      GuardedBuffer<float> src(n);
      fill_row(src, static_cast<Fill>(fill), random);
      const float want[] = {ref().sum(n, src.data()), ref().sum_squares(n, src.data())};
      const float got[] = {kernels().sum(n, src.data()), kernels().sum_squares(n, src.data())};
      ASSERT_TRUE(all_same_bits(2, want, got)) << "n " << n << " fill " << fill_name(static_cast<Fill>(fill));
    }
  }
}

ERT_INSTANTIATE_LEVELS(UnaryTest);

}  // namespace
}  // namespace ert::kernels::testing
