// A slow core does fewer tasks of a Linear than the others, and the bits stay the same. Slow by count instead of by the clock: a task of the slow thread
// ends when the other one has done so many more.
#include <gtest/gtest.h>

#include <stdlib.h>

#include <atomic>
#include <thread>

#include "tests/rt/linears_program.h"
#include "tests/support/pool.h"

namespace ert::testing {
namespace {

constexpr uint32_t kTimesSlower = 4;

// A hook on two threads, of which the second is slow.
class SlowPool {
 public:
  static void parallel_for(void* context, uint32_t tasks, ert_task task, void* arg) {
    SlowPool& p = *static_cast<SlowPool*>(context);
    Loop loop(tasks, task, arg);
    ert_thread_pool_parallel_for(p.pool_.get(), tasks, run_task, &loop);
    if (!p.in_linear_) return;
    p.tasks_ += tasks;
    p.slow_tasks_ += loop.slow;
    if (tasks < p.least_tasks_) p.least_tasks_ = tasks;
    // The slow thread begins its j-th task when the other one has done (j - 1) * kTimesSlower.
    EXPECT_LE(loop.slow, (tasks + kTimesSlower) / (1 + kTimesSlower));
    ++p.loops_;
  }
  static int see_op(void* context, uint32_t, uint32_t phase, const char* kind, const char*) {
    static_cast<SlowPool*>(context)->in_linear_ = phase == 0 && std::string(kind) == "Linear";
    return 0;
  }

  uint32_t loops() const { return loops_; }
  uint32_t least_tasks() const { return loops_ == 0 ? 0 : least_tasks_; }
  uint32_t tasks() const { return tasks_; }
  uint32_t slow_tasks() const { return slow_tasks_; }

 private:
  struct Loop {
    uint32_t tasks;
    ert_task task;
    void* arg;
    std::atomic<uint32_t> done{0}, slow{0};  // by the fast thread; begun by the slow one
    Loop(uint32_t n, ert_task t, void* a) : tasks(n), task(t), arg(a) {}
  };
  static void run_task(void* arg, uint32_t index, uint32_t thread) {
    Loop& loop = *static_cast<Loop*>(arg);
    if (thread == 0) {
      loop.task(loop.arg, index, thread);
      ++loop.done;
      return;
    }
    const uint32_t begun = ++loop.slow, until = loop.done + kTimesSlower;
    loop.task(loop.arg, index, thread);
    while (loop.done < until && loop.done + begun < loop.tasks) std::this_thread::yield();
  }

  Pool pool_{2};
  bool in_linear_ = false;
  uint32_t loops_ = 0, tasks_ = 0, slow_tasks_ = 0, least_tasks_ = UINT32_MAX;
};

// Results of so many rows; on two threads if there is a pool.
std::vector<float> results(const ert_model& model, int32_t rows, int32_t depth, SlowPool* pool) {
  ert_config cfg = config_of_size();
  if (pool != nullptr) {
    cfg.threads = 2;
    cfg.parallel_for = SlowPool::parallel_for;
    cfg.parallel_context = pool;
    cfg.op_hook = SlowPool::see_op;
    cfg.op_hook_context = pool;
  }
  GuardedRegion arena(arena_need(model, &cfg));
  const ert_region region = arena.region();
  ert_context context{};
  EXPECT_EQ(ert_context_init(&context, &model, &cfg, nullptr, &region, 1), ERT_OK);
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(depth);
  std::vector<float> x(count), y(count);
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i % 251) - 125.0f;
  const ert_tensor in = float_tensor({rows, depth}, x.data(), count), out = float_tensor({}, y.data(), count);
  EXPECT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
  EXPECT_EQ(ert_bind_output(&context, 0, &out), ERT_OK);
  EXPECT_EQ(ert_run(&context), ERT_OK);
  EXPECT_TRUE(arena.intact());
  return y;
}

class SlowCore : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("ERT_CPU_CORES_DIFFER"); }

  void expect_shared(const char* cores_differ, std::vector<int32_t> all_rows) {
    constexpr int32_t kDepth = 384;
    setenv("ERT_CPU_CORES_DIFFER", cores_differ, 1);
    const AlignedBytes blob = linears_program(kDepth, params::linear::kInt8).build();
    ert_model model{};
    ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    for (int32_t rows : all_rows) {
      SlowPool pool;
      EXPECT_EQ(results(model, rows, kDepth, &pool), results(model, rows, kDepth, nullptr)) << rows << " rows";
      EXPECT_EQ(pool.loops(), 2u) << rows << " rows";
      // Of two tasks a slow thread has one, and the other one waits. Of four and more it has a third at most.
      EXPECT_GE(pool.least_tasks(), 4u) << rows << " rows";
      EXPECT_LE(3 * pool.slow_tasks(), pool.tasks()) << rows << " rows";
    }
  }
};

// Few rows are split by columns, into several tasks a thread; many rows are more blocks than threads.
TEST_F(SlowCore, DoesFewerTasksWhereNothingIsKnownOfIt) { expect_shared("0", {8, 11, 128, 129, 300}); }

// Where cores are known to differ, rows between are shared so, too.
TEST_F(SlowCore, DoesFewerTasksAtEveryNumberOfRowsWhereCoresDiffer) { expect_shared("1", {8, 11, 12, 16, 24, 31, 32, 33, 50, 64, 65, 100, 128, 300}); }

}  // namespace
}  // namespace ert::testing
