// Calls out of order, and a context that is none or was changed from outside.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

TEST(State, EveryCallRefusesWhatIsNotAContext) {
  for (int fill : {0x00, 0xFF}) {
    ert_context c;
    std::memset(&c, fill, sizeof c);
    float data[4] = {};
    ert_tensor t = float_tensor({1, 4}, data, 4);
    ert_isa isa;
    EXPECT_EQ(ert_run(&c), ERT_ERR_STATE);
    EXPECT_EQ(ert_step(&c), ERT_ERR_STATE);
    EXPECT_EQ(ert_selftest(&c), ERT_ERR_STATE);
    EXPECT_EQ(ert_state_reset(&c), ERT_ERR_STATE);
    EXPECT_EQ(ert_bind_input(&c, 0, &t), ERT_ERR_STATE);
    EXPECT_EQ(ert_bind_output(&c, 0, &t), ERT_ERR_STATE);
    EXPECT_EQ(ert_output_shape(&c, 0, &t), ERT_ERR_STATE);
    EXPECT_EQ(ert_context_isa(&c, &isa), ERT_ERR_STATE);
  }
  EXPECT_EQ(ert_run(nullptr), ERT_ERR_ARG);
}

TEST(State, RunBeforeBindIsRefused) {
  SmallContext bound;
  ert_context fresh{};
  GuardedRegion memory(arena_need(bound.model));
  const ert_region region = memory.region();
  ASSERT_EQ(ert_context_init(&fresh, &bound.model, nullptr, nullptr, &region, 1), ERT_OK);
  EXPECT_EQ(ert_run(&fresh), ERT_ERR_STATE);
  const ert_tensor in = float_tensor({3, 4}, bound.x.data(), bound.x.size());
  ASSERT_EQ(ert_bind_input(&fresh, 0, &in), ERT_OK);
  EXPECT_EQ(ert_run(&fresh), ERT_ERR_STATE) << "the output is still missing";
}

// A flip in memory that the context protects is found before it is used, whichever bit it is.
TEST(State, EveryBitFlipInTheContextIsRefused) {
  SmallContext c;
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  const ert_context good = c.context;
  // The struct ends with the busy flag; behind it is only spare storage.
  size_t used = 0;
  for (size_t bit = 0; bit < sizeof good * 8; ++bit) {
    c.context = good;
    reinterpret_cast<uint8_t*>(&c.context)[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    const ert_status status = ert_run(&c.context);
    if (status == ERT_OK) continue;
    EXPECT_TRUE(status == ERT_ERR_INTEGRITY || status == ERT_ERR_STATE) << bit;
    used = bit + 1;
  }
  EXPECT_GT(used, 250u * 8u);  // pointers of 4 bytes make the context smaller
  c.context = good;
  for (size_t bit = 0; bit < used; ++bit) {
    ert_context flipped = good;
    reinterpret_cast<uint8_t*>(&flipped)[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_NE(ert_step(&flipped), ERT_STEP_MORE) << bit;
  }
}

}  // namespace
}  // namespace ert::testing
