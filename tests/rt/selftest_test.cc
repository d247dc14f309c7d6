// ert_selftest: golden vectors that are whole tensors. Those by recipes: recipe_test.cc.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

std::vector<uint8_t> golden_segment(int32_t batch, float error) {
  const size_t n = static_cast<size_t>(batch) * 4, stride = (n * 4 + 63) / 64 * 64;
  std::vector<uint8_t> bytes(stride + n * 4);
  for (size_t i = 0; i < n; ++i) {
    const float x = static_cast<float>(i) - 2.5f;
    const float out = small_program_result(x, static_cast<int>(i % 4)) + (i == 3 ? error : 0);
    std::memcpy(&bytes[i * 4], &x, 4);
    std::memcpy(&bytes[stride + i * 4], &out, 4);
  }
  return bytes;
}

BlobSpec golden_program(int32_t batch, float error) {
  BlobSpec s = small_program();
  s.segments.push_back({golden_segment(batch, error), 1});
  s.golden.push_back({{batch}, 1, {0, (static_cast<uint64_t>(batch) * 16 + 63) / 64 * 64}});
  return s;
}

TEST(Selftest, ReplaysGoldenVectors) {
  for (int32_t batch : {1, 5}) {
    SmallContext c(golden_program(batch, 0));
    EXPECT_EQ(ert_selftest(&c.context), ERT_OK);
    EXPECT_TRUE(c.arena->intact());
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_STATE) << "bindings are cleared";
    c.bind(2);
    EXPECT_EQ(ert_run(&c.context), ERT_OK);
    c.expect_results();
  }
}

TEST(Selftest, OneWrongBitFails) {
  SmallContext c(golden_program(2, 1e-6f));
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
}

TEST(Selftest, WithoutVectorsFails) {
  SmallContext c;
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
}

// The first that fails ends it; bindings are cleared all the same.
TEST(Selftest, EveryVectorCounts) {
  for (const size_t wrong : {size_t{0}, size_t{1}}) {
    BlobSpec s = golden_program(2, 0);
    s.segments.push_back({golden_segment(3, 0), 1});
    s.golden.push_back({{3}, 2, {0, 64}});
    SmallContext good(s);
    EXPECT_EQ(ert_selftest(&good.context), ERT_OK);
    s.segments[1 + wrong].bytes.back() ^= 1;
    SmallContext c(s);
    EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST) << wrong;
    EXPECT_EQ(ert_run(&c.context), ERT_ERR_STATE);
  }
}

// An input that a run refuses, and an op that fails where only the contents tell.
TEST(Selftest, AVectorThatDoesNotRunFails) {
  BlobSpec s = golden_program(2, 0);
  const uint32_t nan = 0x7FC00000u;
  std::memcpy(s.segments[1].bytes.data(), &nan, sizeof nan);
  SmallContext c(s);
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_SELFTEST);
  ert_config cfg = config_of_size();
  cfg.op_hook = [](void*, uint32_t op, uint32_t, const char*, const char*) { return op == 1 ? 1 : 0; };
  SmallContext aborted(golden_program(2, 0), &cfg);
  EXPECT_EQ(ert_selftest(&aborted.context), ERT_ERR_SELFTEST);
}

TEST(Selftest, LargerThanThePlanIsSaid) {
  SmallContext c(golden_program(5, 0));
  const int32_t dims[] = {2};
  ert_memory_need need{};
  need.struct_size = sizeof need;
  ASSERT_EQ(ert_arena_bytes(&c.model, nullptr, dims, &need), ERT_OK);
  GuardedRegion arena(need.bytes);
  const ert_region region = arena.region();
  ASSERT_EQ(ert_context_init(&c.context, &c.model, nullptr, dims, &region, 1), ERT_OK);
  EXPECT_EQ(ert_selftest(&c.context), ERT_ERR_DIMS);
}

}  // namespace
}  // namespace ert::testing
