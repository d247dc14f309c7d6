// The thread pool of platform/posix, and a context that runs on it: every index once, same results, float mode everywhere.
#include <gtest/gtest.h>

#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "rt/base/float_mode.h"
#include "rt/ops/op.h"
#include "tests/support/context_fixture.h"
#include "tests/support/pool.h"

namespace ert::testing {
namespace {

struct Coverage {
  explicit Coverage(uint32_t tasks, uint32_t n) : count(tasks), inside(n), threads(n) {}
  std::vector<std::atomic<uint32_t>> count;
  std::vector<std::atomic<uint32_t>> inside;  // tasks that a thread number runs at this moment
  uint32_t threads;
  std::atomic<uint32_t> faults{0};

  static void task(void* arg, uint32_t index, uint32_t thread) {
    Coverage& c = *static_cast<Coverage*>(arg);
    if (thread >= c.threads || index >= c.count.size()) {
      ++c.faults;
      return;
    }
    if (c.inside[thread].fetch_add(1) != 0) ++c.faults;
    c.count[index].fetch_add(1);
    c.inside[thread].fetch_sub(1);
  }
  bool each_once() const {
    for (const auto& n : count) {
      if (n != 1) return false;
    }
    return faults == 0;
  }
};

class PoolOf : public ::testing::TestWithParam<uint32_t> {};

TEST_P(PoolOf, CoversEachIndexOnce) {
  Pool pool(GetParam());
  for (int round = 0; round < 3000; ++round) {
    Coverage c(static_cast<uint32_t>(round % 67), GetParam());
    ert_thread_pool_parallel_for(pool.get(), static_cast<uint32_t>(c.count.size()), Coverage::task, &c);
    ASSERT_TRUE(c.each_once()) << round;
  }
}

// Pauses longer than the spin time, so that workers fall asleep and are woken again.
TEST_P(PoolOf, WakesSleepingWorkers) {
  Pool pool(GetParam());
  for (int round = 0; round < 60; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(round % 3 == 0 ? 300 : 25));
    Coverage c(40, GetParam());
    ert_thread_pool_parallel_for(pool.get(), 40, Coverage::task, &c);
    ASSERT_TRUE(c.each_once()) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, PoolOf, ::testing::Values(1u, 2u, 3u, 4u));

uint64_t process_cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_ms(uint64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Share of the given time that all threads of this process spend on CPUs while f runs.
template <class F>
double busy_share(const F& f) {
  const uint64_t cpu = process_cpu_ns(), clock = ert_clock_ns();
  f();
  return static_cast<double>(process_cpu_ns() - cpu) / static_cast<double>(ert_clock_ns() - clock);
}

// A thread that spins would take a whole CPU, so that a few per cent are far from both answers on any machine.
constexpr double kIdleShare = 0.05;

TEST(Pool, IdleWorkersSleep) {
  Pool pool(4);
  Coverage c(40, 4);
  ert_thread_pool_parallel_for(pool.get(), 40, Coverage::task, &c);
  const double share = busy_share([] { sleep_ms(300); });
  RecordProperty("busy_share", std::to_string(share));
  EXPECT_LT(share, kIdleShare);
}

TEST(Pool, CallerSleepsWhileAWorkerIsLate) {
  Pool pool(3);
  // One task of each share sleeps, so the caller runs out of work and waits for the others, who sleep three times as long.
  const auto task = [](void*, uint32_t, uint32_t thread) { sleep_ms(thread == 0 ? 100 : 300); };
  const double share = busy_share([&] { ert_thread_pool_parallel_for(pool.get(), 3, task, nullptr); });
  RecordProperty("busy_share", std::to_string(share));
  EXPECT_LT(share, kIdleShare);
}

// Canary: the measure sees a thread that spins.
TEST(Pool, SpinningWouldShow) {
  std::atomic<bool> stop{false};
  std::thread spinner([&] {
    while (!stop) {
    }
  });
  // In CPU time, because a loaded machine may not give the spinner a whole CPU.
  const uint64_t start = process_cpu_ns();
  uint64_t clock = 0;
  while (process_cpu_ns() - start < 30000000u && clock < 10000) {
    sleep_ms(1);
    ++clock;
  }
  stop = true;
  spinner.join();
  EXPECT_LT(clock, 10000u);
}

struct Nested {
  ert_thread_pool* pool;
  std::atomic<uint32_t> inner{0};
  static void count(void* arg, uint32_t, uint32_t) { ++static_cast<Nested*>(arg)->inner; }
  static void outer(void* arg, uint32_t, uint32_t) {
    ert_thread_pool_parallel_for(static_cast<Nested*>(arg)->pool, 5, count, arg);
  }
};

TEST(Pool, NestedAndConcurrentCallsRunAlone) {
  Pool pool(3);
  Nested n{pool.get(), {}};
  ert_thread_pool_parallel_for(pool.get(), 7, Nested::outer, &n);
  EXPECT_EQ(n.inner, 35u);
  std::atomic<bool> good{true};
  std::vector<std::thread> callers;
  for (int k = 0; k < 3; ++k) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        Coverage c(9, 3);
        ert_thread_pool_parallel_for(pool.get(), 9, Coverage::task, &c);
        if (!c.each_once()) good = false;
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_TRUE(good);
}

TEST(Pool, StorageIsChecked) {
  EXPECT_EQ(ert_thread_pool_bytes(0), 0u);
  EXPECT_EQ(ert_thread_pool_bytes(ERT_THREAD_POOL_MAX_THREADS + 1), 0u);
  const size_t need = ert_thread_pool_bytes(2);
  GuardedRegion memory(need);
  ert_thread_pool* pool = nullptr;
  EXPECT_NE(ert_thread_pool_init(&pool, memory.data(), need - 1, 2), 0);
  EXPECT_NE(ert_thread_pool_init(&pool, memory.data() + 8, need, 2), 0);
  EXPECT_NE(ert_thread_pool_init(&pool, nullptr, need, 2), 0);
  EXPECT_NE(ert_thread_pool_init(nullptr, memory.data(), need, 2), 0);
  ASSERT_EQ(ert_thread_pool_init(&pool, memory.data(), need, 2), 0);
  ert_thread_pool_shutdown(pool);
  EXPECT_TRUE(memory.intact());
}

TEST(Pool, StartAndStopManyTimes) {
  for (uint32_t round = 0; round < 200; ++round) {
    Pool pool(1 + round % 4);
    if (round % 2 == 0) continue;
    Coverage c(3, 4);
    ert_thread_pool_parallel_for(pool.get(), 3, Coverage::task, &c);
    ASSERT_TRUE(c.each_once());
  }
}

TEST(Threads, ContextOnThePoolGivesTheSameBits) {
  for (uint32_t threads : {1u, 2u, 4u}) {
    Pool pool(threads);
    ert_config cfg = config_of_size();
    cfg.threads = threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool.get();
    SmallContext c(small_program(), &cfg);
    for (int32_t batch : {8, 1}) {
      c.bind(batch);
      ASSERT_EQ(ert_run(&c.context), ERT_OK);
      c.expect_results();
    }
  }
}

// Halving the smallest normal number leaves nothing in ert's mode and a subnormal outside of it.
bool flushes() {
  volatile float smallest = 1.17549435e-38f, half = 0.5f;
  volatile float product = smallest * half;
  return product == 0.0f;
}

void note_mode(void* arg, uint32_t, uint32_t) {
  if (!flushes()) ++*static_cast<std::atomic<int>*>(arg);
}

class FloatModeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FloatMode::kHardwareFlushes) GTEST_SKIP() << "this FPU has no flush-to-zero mode: the kernels flush in software";
  }
};

TEST_F(FloatModeTest, IsEnteredAndRestored) {
  ASSERT_FALSE(flushes()) << "the test starts outside of ert's mode";
  {
    FloatMode mode;
    EXPECT_TRUE(flushes());
    FloatMode again;
    EXPECT_TRUE(flushes());
  }
  EXPECT_FALSE(flushes());
}

TEST_F(FloatModeTest, HoldsOnEveryThreadOfAParallelLoop) {
  Pool pool(3);
  std::atomic<int> outside{0};
  ert_thread_pool_parallel_for(pool.get(), 100, note_mode, &outside);
  EXPECT_EQ(outside, 100) << "the pool alone does not set it";
  outside = 0;
  Parallel parallel{ert_thread_pool_parallel_for, pool.get(), 3};
  FloatMode mode;
  parallel(100, note_mode, &outside);
  EXPECT_EQ(outside, 0);
}

int mode_hook(void* context, uint32_t, uint32_t, const char*, const char*) {
  if (flushes()) ++*static_cast<int*>(context);
  return 0;
}

TEST_F(FloatModeTest, RunAndStepRestoreIt) {
  int inside = 0;
  ert_config cfg = config_of_size();
  cfg.op_hook = mode_hook;
  cfg.op_hook_context = &inside;
  SmallContext c(small_program(), &cfg);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  EXPECT_EQ(inside, 8) << "before and after each of the four ops";
  EXPECT_FALSE(flushes());
  EXPECT_EQ(ert_step(&c.context), ERT_STEP_MORE);
  EXPECT_EQ(inside, 10);
  EXPECT_FALSE(flushes());
}

}  // namespace
}  // namespace ert::testing
