// Cache sizes by cpuid's registers and by folders as Linux shows them, from machines of each kind.
#include "platform/cpu_caches.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "platform/posix/core_caches.h"
#include "tests/platform/core_folder.h"

namespace {

using Registers = std::vector<uint32_t>;

ert_cpu_caches of_cpuid(const std::vector<Registers>& caches) {
  ert_cpu_caches found = {0, 0};
  for (const Registers& r : caches) EXPECT_EQ(ert_add_cpuid_cache(r.data(), &found), 1);
  const Registers end = {0, 0, 0, 0};
  EXPECT_EQ(ert_add_cpuid_cache(end.data(), &found), 0);
  return found;
}

void expect_caches(ert_cpu_caches found, uint32_t l1d, uint32_t l2) {
  EXPECT_EQ(found.l1d, l1d);
  EXPECT_EQ(found.l2, l2);
}

constexpr uint32_t kKiB = 1024, kMiB = 1024 * kKiB;

TEST(CpuCaches, OfCpuid) {
  // Sapphire Rapids: L1d of 48 KiB, L1i, L2 of 2 MiB, L3.
  expect_caches(of_cpuid({{0x04000121, 0x02c0003f, 0x0000003f, 0},
                          {0x04000122, 0x01c0003f, 0x0000003f, 0},
                          {0x04000143, 0x03c0003f, 0x000007ff, 0},
                          {0x04004163, 0x04c0003f, 0x0003bfff, 4}}),
                48 * kKiB, 2 * kMiB);
  // Skylake client.
  expect_caches(of_cpuid({{0x1c004121, 0x01c0003f, 0x0000003f, 0},
                          {0x1c004122, 0x01c0003f, 0x0000003f, 0},
                          {0x1c004143, 0x00c0003f, 0x000003ff, 0},
                          {0x1c03c163, 0x02c0003f, 0x00001fff, 6}}),
                32 * kKiB, 256 * kKiB);
  // Zen, leaf 0x8000001D: L1i of 64 KiB stands beside L1d of 32.
  expect_caches(of_cpuid({{0x00004121, 0x01c0003f, 0x0000003f, 0},
                          {0x00004122, 0x00c0003f, 0x000000ff, 0},
                          {0x00004143, 0x01c0003f, 0x000003ff, 2},
                          {0x0001c163, 0x03c0003f, 0x00001fff, 1}}),
                32 * kKiB, 512 * kKiB);
  expect_caches(of_cpuid({}), 0, 0);
  // 2^38 bytes: nothing that could be meant.
  expect_caches(of_cpuid({{0x00000021, 0xffffffff, 0x000fffff, 0}}), 0, 0);
}

class CpuCachesOfCores : public CoreFolderTest {
 protected:
  ert_cpu_caches found() { return ert_caches_of_fastest_core(folder()); }
  void add_caches(int core, const char* l1d, const char* l2) {
    add(core, "cache/index0/level", "1\n");
    add(core, "cache/index0/type", "Data\n");
    add(core, "cache/index0/size", l1d);
    add(core, "cache/index1/level", "1\n");
    add(core, "cache/index1/type", "Instruction\n");
    add(core, "cache/index1/size", "64K\n");
    add(core, "cache/index2/level", "2\n");
    add(core, "cache/index2/type", "Unified\n");
    add(core, "cache/index2/size", l2);
    add(core, "cache/index3/level", "3\n");
    add(core, "cache/index3/type", "Unified\n");
    add(core, "cache/index3/size", "3072K\n");
  }
};

// RK3588: four Cortex-A55, then four Cortex-A76.
TEST_F(CpuCachesOfCores, AreThoseOfTheFastestCore) {
  for (int core = 0; core < 8; ++core) {
    add(core, "cpu_capacity", core < 4 ? "414\n" : "1024\n");
    core < 4 ? add_caches(core, "32K\n", "128K\n") : add_caches(core, "64K\n", "512K\n");
  }
  expect_caches(found(), 64 * kKiB, 512 * kKiB);
}

TEST_F(CpuCachesOfCores, AreThoseOfTheFirstWhereAllAreAlike) {
  for (int core = 0; core < 4; ++core) add_caches(core, "32K\n", "1M\n");
  expect_caches(found(), 32 * kKiB, kMiB);
}

// Most device trees give no sizes: the files are not there.
TEST_F(CpuCachesOfCores, AreUnknownWhereNothingIsToldOrSense) {
  expect_caches(found(), 0, 0);
  add(0, "cpu_capacity", "1024\n");
  add(0, "cache/index0/level", "1\n");
  add(0, "cache/index0/type", "Data\n");
  expect_caches(found(), 0, 0);
  add(0, "cache/index0/size", "many\n");
  expect_caches(found(), 0, 0);
  add(0, "cache/index0/size", "99999999K\n");
  expect_caches(found(), 0, 0);
  expect_caches(ert_caches_of_fastest_core("/nowhere"), 0, 0);
  expect_caches(ert_caches_of_fastest_core(std::string(1000, 'a').c_str()), 0, 0);
}

TEST(CpuCaches, OfThisMachineAreUnknownOrPossible) {
  const ert_cpu_caches here = ert_find_cpu_caches();
  if (std::getenv("ERT_CPU_CACHES") != nullptr) GTEST_SKIP();
  EXPECT_TRUE(here.l1d == 0 || (here.l1d >= 4 * kKiB && here.l1d <= kMiB)) << here.l1d;
  EXPECT_TRUE(here.l2 == 0 || (here.l2 >= 16 * kKiB && here.l2 <= 1024 * kMiB)) << here.l2;
}

}  // namespace
