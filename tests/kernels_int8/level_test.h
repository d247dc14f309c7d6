// Fixture of all kernel tests: one instance per level of the kernel list, run in ert's float mode. A level that is not built
// or that the CPU lacks is a counted skip.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/base/float_mode.h"
#include "rt/base/isa.h"
#include "tests/support/same_bits.h"
#include "tests/support/seeded_random.h"

namespace ert::kernels::testing {

using ert::testing::all_same_bits;
using ert::testing::SeededRandom;

constexpr int kLevels = static_cast<int>(Level::kCount);

inline bool level_runs(Level level) { return level_table(level) != nullptr && runs_with(ert_cpu_features(), level); }

class LevelTest : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (!level_runs(GetParam())) GTEST_SKIP() << level_name(GetParam()) << " is not built or not on this CPU";
  }
  const KernelTable& ref() const { return *level_table(Level::kRef); }
  const KernelTable& kernels() const { return *level_table(GetParam()); }
  // Not those of kernels().isa, which a second form of a level shares with the first, whose instructions this CPU may lack.
  const ConvKernels& conv_ref() const { return conv_level_table(Level::kRef); }
  const ConvKernels& conv() const { return conv_level_table(GetParam()); }

 private:
  FloatMode float_mode_;
};

inline std::string level_test_name(const ::testing::TestParamInfo<Level>& info) { return level_name(info.param); }

// Levels that a build for this architecture may have, but ref, with which they are compared.
inline std::vector<Level> levels_of_this_architecture() {
#if defined(__x86_64__)
  const std::string wanted = "x86_64: ";
#elif defined(__aarch64__)
  const std::string wanted = "aarch64: ";
#elif defined(__arm__)
  const std::string wanted = "armv7: ";
#else
  const std::string wanted = "no level";
#endif
  std::vector<Level> levels;
  for (int i = 0; i < kLevels; ++i) {
    const Level level = static_cast<Level>(i);
    if (std::string(level_row(level).builds).find(wanted) != std::string::npos) levels.push_back(level);
  }
  return levels;
}

#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
#define ERT_INSTANTIATE_LEVELS(suite) \
  INSTANTIATE_TEST_SUITE_P(Levels, suite, ::testing::ValuesIn(levels_of_this_architecture()), level_test_name)
#else  // the reference only
#define ERT_INSTANTIATE_LEVELS(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#endif

}  // namespace ert::kernels::testing
