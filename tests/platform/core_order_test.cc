// ert_cores_in_order on folders as Linux shows them.
#include "platform/posix/core_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/platform/core_folder.h"

namespace {

constexpr char kA53[] = "0x00000000410fd034\n", kA55[] = "0x00000000412fd050\n", kA76[] = "0x00000000414fd0b1\n",
               kKryoSilver[] = "0x0000000051df805e\n", kSwitchedOff[] = "";

// One file a core.
class CoreOrderTest : public CoreFolderTest {
 protected:
  int in_order(const std::vector<std::string>& cores) {
    clear();
    for (size_t i = 0; i < cores.size(); ++i) {
      add_empty(static_cast<int>(i));
      if (!cores[i].empty()) add(static_cast<int>(i), "regs/identification/midr_el1", cores[i]);
    }
    return ert_cores_in_order(folder());
  }
};

TEST_F(CoreOrderTest, KnowsInOrderCores) {
  EXPECT_EQ(in_order({kA53, kA53, kA53, kA53}), 1);
  EXPECT_EQ(in_order({kA55, kKryoSilver}), 1);
  EXPECT_EQ(in_order({kA76}), 0);
}

// On a mixed system the large cores do most of the work.
TEST_F(CoreOrderTest, OneOtherCoreDecides) {
  std::vector<std::string> cores(12, kA55);
  EXPECT_EQ(in_order(cores), 1);
  cores[11] = kA76;
  EXPECT_EQ(in_order(cores), 0) << "cpu10 and above were not read";
  EXPECT_EQ(in_order({kA76, kA55}), 0);
}

TEST_F(CoreOrderTest, CoresThatAreSwitchedOffDoNotCount) {
  EXPECT_EQ(in_order({kSwitchedOff, kA53}), 1);
  EXPECT_EQ(in_order({kA53, kSwitchedOff, kA76}), 0);
  EXPECT_EQ(in_order({kSwitchedOff}), 0);
}

TEST_F(CoreOrderTest, NothingKnownIsNotInOrder) {
  EXPECT_EQ(in_order({}), 0);
  EXPECT_EQ(in_order({"not a number\n"}), 0);
  EXPECT_EQ(ert_cores_in_order("/nowhere"), 0);
  EXPECT_EQ(ert_cores_in_order(std::string(1000, 'a').c_str()), 0);
}

}  // namespace
