// Fixture of all kernel tests: one instance per level of the kernel list, run in ert's float mode. A level that is not built
// or that the CPU lacks is a counted skip.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels_int8/contract/isa.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "platform/cpu_features.h"
#include "rt/float_mode.h"
#include "tests/support/same_bits.h"
#include "tests/support/seeded_random.h"

namespace ert::kernels::testing {

using ert::testing::all_same_bits;
using ert::testing::SeededRandom;

inline bool level_runs(Level level) {
  return level_table(level) != nullptr && (ert_cpu_isa_mask() & isa_bit(level_needs(level))) != 0;
}

class LevelTest : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (!level_runs(GetParam())) GTEST_SKIP() << level_name(GetParam()) << " is not built or not on this CPU";
  }
  const KernelTable& ref() const { return *level_table(Level::kRef); }
  const KernelTable& kernels() const { return *level_table(GetParam()); }

 private:
  FloatMode float_mode_;
};

inline std::string level_test_name(const ::testing::TestParamInfo<Level>& info) { return level_name(info.param); }

// The levels that a build for this architecture may have.
#if defined(__x86_64__)
#define ERT_INSTANTIATE_LEVELS(suite) \
  INSTANTIATE_TEST_SUITE_P(           \
      Levels, suite, ::testing::Values(Level::kAvx2, Level::kAvxVnni, Level::kAvxVnniEvex, Level::kAvx512Vnni), level_test_name)
#elif defined(__aarch64__)
#define ERT_INSTANTIATE_LEVELS(suite)                                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                                        \
      Levels, suite,                                                                                               \
      ::testing::Values(Level::kNeon, Level::kNeonInorder, Level::kDotprod, Level::kDotprodInorder, Level::kI8mm), \
      level_test_name)
#elif defined(__arm__)
#define ERT_INSTANTIATE_LEVELS(suite) INSTANTIATE_TEST_SUITE_P(Levels, suite, ::testing::Values(Level::kNeon), level_test_name)
#else  // the reference only
#define ERT_INSTANTIATE_LEVELS(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#endif

}  // namespace ert::kernels::testing
