// One constant model in several threads at once: each has a context of its own, two of them with a thread pool. Nothing that they share is written, which ./test.sh --tsan sees, and
// every run gives the bits of a run alone.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/rt/packed_encoder.h"
#include "tests/support/pool.h"

namespace ert::testing {
namespace {

constexpr int kThreads = 4, kRuns = 5;
constexpr int32_t kRowsOfOne = 3, kLength = 7;

// Ids and masks that depend on the caller alone. Returns both outputs, one behind the other.
std::vector<float> run_encoder(const ert_model& m, int caller, int runs, ert_thread_pool* pool) {
  ert_config cfg = config_of_size();
  if (pool != nullptr) {
    cfg.threads = 2;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool;
  }
  GuardedRegion arena(arena_need(m, &cfg));
  const ert_region region = arena.region();
  ert_context c;
  EXPECT_EQ(ert_context_init(&c, &m, &cfg, nullptr, &region, 1), ERT_OK);
  std::vector<int32_t> ids(kRowsOfOne * kLength);
  std::vector<int64_t> mask(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int32_t>((i * 5 + static_cast<size_t>(caller)) % kIds);
    mask[i] = i % kLength < 3 + static_cast<size_t>(caller);
  }
  const size_t hidden = ids.size() * kWidth, mean = kRowsOfOne * kWidth;
  std::vector<float> out(hidden + mean);
  ert_tensor in = float_tensor({kRowsOfOne, kLength}, nullptr, 0);
  in.dtype = ERT_I32, in.data = ids.data(), in.bytes = ids.size() * 4;
  EXPECT_EQ(ert_bind_input(&c, 0, &in), ERT_OK);
  in.dtype = ERT_I64, in.data = mask.data(), in.bytes = mask.size() * 8;
  EXPECT_EQ(ert_bind_input(&c, 1, &in), ERT_OK);
  const ert_tensor first = float_tensor({}, out.data(), hidden), second = float_tensor({}, out.data() + hidden, mean);
  EXPECT_EQ(ert_bind_output(&c, 0, &first), ERT_OK);
  EXPECT_EQ(ert_bind_output(&c, 1, &second), ERT_OK);
  for (int i = 0; i < runs; ++i) EXPECT_EQ(ert_run(&c), ERT_OK);
  EXPECT_TRUE(arena.intact());
  return out;
}

TEST(SharedModel, ContextsInThreadsGiveTheBitsOfOneAlone) {
  const AlignedBytes blob = encoder({}).build();
  ert_model model;
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  std::vector<std::vector<float>> alone, together(kThreads);
  for (int caller = 0; caller < kThreads; ++caller) alone.push_back(run_encoder(model, caller, 1, nullptr));
  EXPECT_NE(alone[0], alone[1]);
  std::vector<std::unique_ptr<Pool>> pools;
  for (int caller = 0; caller < kThreads; ++caller) pools.push_back(caller % 2 != 0 ? std::make_unique<Pool>(2) : nullptr);
  std::vector<std::thread> threads;
  for (int caller = 0; caller < kThreads; ++caller) {
    threads.emplace_back([&, caller] {
      const size_t own = static_cast<size_t>(caller);
      uint64_t macs = 0;
      EXPECT_EQ(ert_model_macs(&model, nullptr, &macs), ERT_OK);
      together[own] = run_encoder(model, caller, kRuns, pools[own] ? pools[own]->get() : nullptr);
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t caller = 0; caller < kThreads; ++caller) EXPECT_EQ(alone[caller], together[caller]) << caller;
}

}  // namespace
}  // namespace ert::testing
