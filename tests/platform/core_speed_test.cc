// Speeds of cores on folders as Linux shows them.
#include "platform/posix/core_speed.h"

#include <string>
#include <vector>

#include "tests/platform/core_folder.h"

namespace {

class CoreSpeedTest : public CoreFolderTest {
 protected:
  // cpu_capacity of each core; of an empty one there is no file.
  void cores(const std::vector<std::string>& capacities) {
    clear();
    for (size_t i = 0; i < capacities.size(); ++i) {
      add_empty(static_cast<int>(i));
      if (!capacities[i].empty()) add(static_cast<int>(i), "cpu_capacity", capacities[i] + "\n");
    }
  }
  int differ() const { return ert_core_speeds_differ(folder()); }
  unsigned fastest() const { return ert_fastest_core(folder()); }
};

TEST_F(CoreSpeedTest, CoresOfTwoKindsDiffer) {
  cores({"414", "414", "414", "414", "1024", "1024", "1024", "1024"});  // RK3588: Cortex-A55 and A76
  EXPECT_EQ(differ(), 1);
  EXPECT_EQ(fastest(), 4u);
  cores({"1024", "1024", "446", "446"});  // Juno: Cortex-A72 (here first) and A53
  EXPECT_EQ(differ(), 1);
  EXPECT_EQ(fastest(), 0u);
  std::vector<std::string> twelve(12, "250");
  twelve[11] = "1024";
  cores(twelve);
  EXPECT_EQ(differ(), 1);
  EXPECT_EQ(fastest(), 11u) << "cpu10 and above were not read";
}

// The best cores of a kind are clocked a little higher.
TEST_F(CoreSpeedTest, CoresOfOneKindDoNot) {
  cores({"1024", "1024", "1024", "1024"});
  EXPECT_EQ(differ(), 0);
  cores({"1009", "1024", "990", "1024"});
  EXPECT_EQ(differ(), 0);
  EXPECT_EQ(fastest(), 1u);
}

TEST_F(CoreSpeedTest, NothingToldIsNoDifference) {
  for (const std::vector<std::string>& none : {std::vector<std::string>{}, {"", ""}, {"fast", "slow"}}) {
    cores(none);
    EXPECT_EQ(differ(), 0);
    EXPECT_EQ(fastest(), 0u);
  }
  EXPECT_EQ(ert_core_speeds_differ("/nowhere"), 0);
  EXPECT_EQ(ert_fastest_core(std::string(1000, 'a').c_str()), 0u);
}

// A core that is switched off tells nothing.
TEST_F(CoreSpeedTest, CoresThatTellNothingDoNotCount) {
  cores({"1024", "", "1024"});
  EXPECT_EQ(differ(), 0);
  cores({"1024", "", "300"});
  EXPECT_EQ(differ(), 1);
}

}  // namespace
