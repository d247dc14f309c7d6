// How many cores ert-bench takes for usable, by files as Linux has them.
#include "bench/usable_cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ert::bench {
namespace {

class BenchUsableCores : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  double quota() { return quota_cores((folder_ / "cgroup").string(), (folder_ / "sys").string()); }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(BenchUsableCores, NoFilesAreNoQuota) { EXPECT_EQ(quota(), 0); }

TEST_F(BenchUsableCores, Version2TakesTheLeastOfTheGroupsAbove) {
  write("cgroup", "0::/user.slice/session-1.scope");
  write("sys/user.slice/session-1.scope/cpu.max", "max 100000");
  EXPECT_EQ(quota(), 0);
  write("sys/user.slice/cpu.max", "150000 100000");
  EXPECT_EQ(quota(), 1.5);
  write("sys/cpu.max", "50000 100000");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(BenchUsableCores, PathOfTheHostInAContainerLeavesTheTop) {
  write("cgroup", "0::/../host/path");
  write("sys/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2);
}

TEST_F(BenchUsableCores, Version1) {
  write("cgroup", "4:memory:/limited\n3:cpuset:/limited\n2:cpu,cpuacct:/limited");
  write("sys/cpu,cpuacct/limited/cpu.cfs_quota_us", "300000");
  write("sys/cpu,cpuacct/limited/cpu.cfs_period_us", "100000");
  write("sys/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  write("sys/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 3);
}

TEST_F(BenchUsableCores, SomeCoreIsUsable) { EXPECT_GT(usable_cores(), 0); }

TEST_F(BenchUsableCores, WarnsOfThreadsWithoutACore) {
  EXPECT_EQ(threads_warning(2, 2), "");
  EXPECT_EQ(threads_warning(256, 0), "");
  EXPECT_EQ(threads_warning(2, 1).rfind("2 threads on 1 core that", 0), 0u) << threads_warning(2, 1);
  EXPECT_EQ(threads_warning(2, 1.5).rfind("2 threads on 1.5 cores that", 0), 0u);
  EXPECT_EQ(threads_warning(1, 0.5).rfind("1 thread on 0.5 cores that", 0), 0u);
}

}  // namespace
}  // namespace ert::bench
