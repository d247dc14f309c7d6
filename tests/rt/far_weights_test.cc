// Layers whose weights lie beyond a near cache are split, fetched and handed over in other ways: a context of two of them and a norm.
#include <gtest/gtest.h>

#include "tests/rt/linears_program.h"
#include "tests/support/pool.h"

namespace ert::testing {
namespace {

class FarWeights : public ::testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Precision, FarWeights, ::testing::Values(params::linear::kInt8, params::linear::kInt8A16));

// Blocks, handing over and the norm behind depend on threads and rows; the bits and the planned scratch must not.
TEST_P(FarWeights, EveryNumberOfRowsAndThreadsGivesTheSameBits) {
  const AlignedBytes blob = linears_program(1024, GetParam()).build();
  ert_model model{};
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  std::vector<float> x(300 * 1024), expected, y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 251) - 125.0f;
  for (uint32_t threads : {1u, 2u, 3u}) {
    Pool pool(threads);
    ert_config cfg = config_of_size();
    cfg.threads = threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool.get();
    GuardedRegion arena(arena_need(model, &cfg));
    const ert_region region = arena.region();
    ert_context context{};
    ASSERT_EQ(ert_context_init(&context, &model, &cfg, nullptr, &region, 1), ERT_OK);
    for (int32_t rows : {300, 256, 129, 128, 100, 40, 7, 1}) {
      const size_t count = static_cast<size_t>(rows) * 1024;
      const ert_tensor in = float_tensor({rows, 1024}, x.data(), count), out = float_tensor({}, y.data(), count);
      ASSERT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
      ASSERT_EQ(ert_bind_output(&context, 0, &out), ERT_OK);
      ASSERT_EQ(ert_run(&context), ERT_OK) << rows;
      if (expected.empty()) expected = y;
      EXPECT_EQ(std::memcmp(y.data(), expected.data(), count * sizeof(float)), 0) << threads << " threads, " << rows << " rows";
    }
    EXPECT_TRUE(arena.intact());
  }
}

}  // namespace
}  // namespace ert::testing
