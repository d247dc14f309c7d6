// Canaries: proofs that the detectors of these tests can fail. A planted one-ulp difference, a planted overrun.
#include <cmath>
#include <vector>

#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::Guard;
using ert::testing::GuardedBuffer;

TEST(CanaryTest, OneUlpIsCaught) {
  const FloatMode float_mode;
  SeededRandom random;
  std::vector<float> src(100), want(100), got(100);
  fill_row(src, Fill::kNormal, random);
  const KernelTable& t = kernel_table(0);
  t.unary[static_cast<int>(Unary::kGeluErf)](100, src.data(), want.data());
  got = want;
  EXPECT_TRUE(all_same_bits(100, want.data(), got.data()));
  got[57] = std::nextafter(got[57], 1000.0f);
  EXPECT_FALSE(all_same_bits(100, want.data(), got.data()));
}

TEST(CanaryTest, SignOfZeroAndSubnormalsAreCaught) {
  const float zeros[] = {0.0f, -0.0f};
  EXPECT_FALSE(ert::testing::same_bits(zeros[0], zeros[1]));
  EXPECT_FALSE(ert::testing::same_bits(0.0f, 0x1p-149f));
  EXPECT_TRUE(ert::testing::same_bits(std::nanf("1"), -std::nanf("2")));
  EXPECT_FALSE(ert::testing::same_bits(std::nanf("1"), 1.0f));
}

// A contracted multiply-add is what most easily slips into a kernel: the comparison sees it.
TEST(CanaryTest, FusedMultiplyAddIsCaught) {
  SeededRandom random;
  std::vector<float> separate(64), fused(64);
  for (size_t i = 0; i < 64; ++i) {
    const float a = random.normal(), b = random.normal(), c = random.normal();
    separate[i] = a * b + c;
    fused[i] = std::fma(a, b, c);
  }
  EXPECT_FALSE(all_same_bits(64, separate.data(), fused.data()));
}

using CanaryDeathTest = ::testing::Test;

TEST(CanaryDeathTest, GuardPagesTrap) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GuardedBuffer<float> at_end(10), at_start(10, Guard::kStart);
  at_end[9] = at_start[0] = 1.0f;
  volatile float* end = at_end.data();
  volatile float* start = at_start.data();
  EXPECT_DEATH(end[10] = 1.0f, "");
  EXPECT_DEATH(start[-1] = 1.0f, "");
}

TEST(CanaryTest, FillsAreWhatTheySay) {
  const FloatMode float_mode;
  SeededRandom random;
  int subnormal_count = 0;
  for (size_t i = 0; i < 100; ++i) {
    const uint32_t bits = ert::testing::float_bits(fill_value(Fill::kSubnormal, i, random));
    subnormal_count += (bits & 0x7f800000u) == 0 && (bits & 0x7fffffu) != 0;
    EXPECT_TRUE(std::isfinite(fill_value(Fill::kHuge, i, random)));
  }
  EXPECT_GT(subnormal_count, 90);
}

}  // namespace
}  // namespace ert::kernels::testing
