// Opening with working memory that the caller lends (ert_model_open_in).
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

// Working memory that the caller lends: the bytes that ert_info names suffice, one less is refused, and nothing behind is touched.
TEST(OpenIn, WorkingMemoryIsExact) {
  const AlignedBytes blob = small_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  ert_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_model_info(&m, &info), ERT_OK);
  ASSERT_GT(info.work_bytes, 0u);
  std::vector<uint64_t> work(info.work_bytes / 8 + 1, 0xA5A5A5A5A5A5A5A5u);
  EXPECT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), work.data(), info.work_bytes - 1), ERT_ERR_NOMEM);
  EXPECT_EQ(ert_model_info(&m, &info), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), reinterpret_cast<uint8_t*>(work.data()) + 1, info.work_bytes),
            ERT_ERR_ALIGN);
  ASSERT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), work.data(), info.work_bytes), ERT_OK);
  EXPECT_EQ(work.back(), 0xA5A5A5A5A5A5A5A5u);
}

// The working memory may be part of the arena: init and run need nothing of it.
TEST(OpenIn, ArenaServesAsWorkingMemory) {
  const AlignedBytes blob = small_program().build();
  ert_model plain, lent;
  ASSERT_EQ(ert_model_open(&plain, blob.data(), blob.size()), ERT_OK);
  ert_memory_need need{}, again{};
  need.struct_size = again.struct_size = sizeof need;
  ASSERT_EQ(ert_arena_bytes(&plain, nullptr, nullptr, &need), ERT_OK);
  AlignedBytes arena(need.bytes + 12 * 1024);
  ASSERT_EQ(ert_model_open_in(&lent, blob.data(), blob.size(), arena.data(), arena.size()), ERT_OK);
  ASSERT_EQ(ert_arena_bytes(&lent, nullptr, nullptr, &again), ERT_OK);
  EXPECT_EQ(again.bytes, need.bytes);
  const ert_region region{arena.data(), arena.size()};
  ert_context c;
  ASSERT_EQ(ert_context_init(&c, &lent, nullptr, nullptr, &region, 1), ERT_OK);
  uint64_t macs = 0, macs_plain = 1;
  EXPECT_EQ(ert_model_macs(&plain, nullptr, &macs_plain), ERT_OK);
  EXPECT_EQ(ert_model_macs(&lent, nullptr, &macs), ERT_OK);
  EXPECT_EQ(macs, macs_plain);
}

}  // namespace
}  // namespace ert::testing
