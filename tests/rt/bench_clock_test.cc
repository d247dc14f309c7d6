// When ert-bench says that the clock wandered.
#include "bench/clock.h"

#include <gtest/gtest.h>

namespace ert::bench {
namespace {

TEST(BenchClock, WarnsOfMoreThanATenth) {
  EXPECT_EQ(clock_warning({}), "");
  EXPECT_EQ(clock_warning({100}), "");
  EXPECT_EQ(clock_warning({100, 109, 104}), "");
  const std::string warning = clock_warning({130, 100, 104});
  EXPECT_NE(warning.find("took 100 to 130 us"), std::string::npos) << warning;
  EXPECT_NE(warning.find("30 %"), std::string::npos) << warning;
}

TEST(BenchClock, TheLoopTakesTime) { EXPECT_GT(clock_loop_us(), 1.0); }

}  // namespace
}  // namespace ert::bench
