// What is freed goes back to the system once it is much.
#include "convert/interp/idle_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>  // says which C library this is
#include <fstream>
#include <memory>
#include <vector>

namespace edgeconv {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096;
}

// Blocks of the heap: the first that is freed, which had pages of its own, tells glibc to take such ones from there. It is written to as volatile:
// clang leaves out an allocation that nobody sees.
std::vector<std::unique_ptr<char[]>> blocks(size_t n) {
  { static_cast<volatile char*>(std::make_unique<char[]>(4 * kBlock).get())[kBlock] = 1; }
  std::vector<std::unique_ptr<char[]>> taken;
  for (size_t i = 0; i < n; ++i) {
    taken.push_back(std::make_unique<char[]>(kBlock));
    for (size_t at = 0; at < kBlock; at += 4096) taken.back()[at] = 1;
  }
  return taken;
}

TEST(IdleMemory, MuchGoesBackAndLittleStays) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the C library of this build has another malloc than glibc's";
#endif
  auto taken = blocks(300);
  const size_t before = resident_bytes();
  taken.resize(taken.size() - 1);
  for (size_t i = 0; i + 50 < taken.size(); ++i) taken[i].reset();  // the last ones hold the end of the heap
  ASSERT_GT(resident_bytes(), before - 50 * kBlock) << "malloc gives back by itself, so that this shows nothing";
  give_back_idle_memory(100);
  EXPECT_GT(resident_bytes(), before - 50 * kBlock) << "little was freed: not worth to ask";
  give_back_idle_memory(kBlock);
  EXPECT_LT(resident_bytes(), before - 200 * kBlock);

  const auto kept = blocks(60);
  auto few = blocks(8);
  const auto end = blocks(1);
  const size_t with_few = resident_bytes();
  few.clear();
  give_back_idle_memory(kBlock);
  EXPECT_GT(resident_bytes(), with_few - 4 * kBlock) << "8 MB stay for the next";
}

}  // namespace
}  // namespace edgeconv
