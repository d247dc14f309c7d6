// ert_cores_in_order on folders as Linux shows them.
#include "platform/posix/core_order.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr char kA53[] = "0x00000000410fd034\n", kA55[] = "0x00000000412fd050\n", kA76[] = "0x00000000414fd0b1\n",
               kKryoSilver[] = "0x0000000051df805e\n", kSwitchedOff[] = "";

// One file a core, in a folder of its own.
class CoreOrderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / (std::string("ert_core_order_") + info->name() + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  int in_order(const std::vector<std::string>& cores) {
    fs::remove_all(root_);
    for (size_t i = 0; i < cores.size(); ++i) {
      const fs::path core = root_ / ("cpu" + std::to_string(i));
      fs::create_directories(core);
      if (cores[i].empty()) continue;
      fs::create_directories(core / "regs/identification");
      std::ofstream(core / "regs/identification/midr_el1") << cores[i];
    }
    return ert_cores_in_order(root_.c_str());
  }
  fs::path root_;
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
