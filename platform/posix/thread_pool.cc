// Fork-join pool: see thread_pool.h.
//
// One word, `state`, holds the whole protocol: bit 31 = a loop is open, bits 8..30 = its number, bits 0..7 = workers inside.
// A worker joins by raising the count while the loop is open, takes task numbers from a shared counter until none is left,
// and leaves by lowering the count. The caller does the same, closes the loop and waits until nobody is inside. A worker that
// wakes too late finds the loop closed and is never waited for.
#include "platform/posix/thread_pool.h"

#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <new>

namespace {

constexpr uint32_t kOpen = 1u << 31;
constexpr uint32_t kNumberUnit = 1u << 8;
constexpr uint32_t kInsideMask = kNumberUnit - 1;
constexpr uint32_t kNumberMask = ~(kOpen | kInsideMask);
constexpr uint64_t kSpinNs = 30000;
constexpr uint32_t kMaxSharedTasks = 1u << 30;  // the task counter overshoots by at most the number of threads

inline void relax_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#endif
}

// Polls until done() or the spin time is over; returns done().
template <class Condition>
bool spin_until(const Condition& done) {
  const uint64_t start = ert_clock_ns();
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax_cpu();
    }
  } while (ert_clock_ns() - start < kSpinNs);
  return done();
}

struct Worker {
  ert_thread_pool* pool;
  uint32_t index;
  pthread_t thread;
};

}  // namespace

struct ert_thread_pool {
  alignas(64) std::atomic<uint32_t> state{0};
  alignas(64) std::atomic<uint32_t> next_task{0};
  alignas(64) std::atomic<bool> in_use{false};
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> caller_sleeps{false};
  uint32_t tasks = 0;
  ert_platform_task task = nullptr;
  void* arg = nullptr;
  uint32_t threads = 1;
  pthread_mutex_t mutex;
  pthread_cond_t work_ready;  // workers sleep here
  pthread_cond_t all_left;    // the caller sleeps here
};

namespace {

Worker* workers_of(ert_thread_pool* pool) { return reinterpret_cast<Worker*>(pool + 1); }

void take_tasks(ert_thread_pool* pool, uint32_t thread) {
  const uint32_t tasks = pool->tasks;
  for (;;) {
    const uint32_t i = pool->next_task.fetch_add(1, std::memory_order_relaxed);
    if (i >= tasks) return;
    pool->task(pool->arg, i, thread);
  }
}

// Raises the count of workers inside if a loop other than `last` is open. Sets *last to its number.
bool join_loop(ert_thread_pool* pool, uint32_t* last) {
  uint32_t state = pool->state.load(std::memory_order_acquire);
  while ((state & kOpen) != 0 && (state & kNumberMask) != *last) {
    if (pool->state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      *last = state & kNumberMask;
      return true;
    }
  }
  return false;
}

void leave_loop(ert_thread_pool* pool) {
  const uint32_t before = pool->state.fetch_sub(1, std::memory_order_seq_cst);
  if ((before & kInsideMask) != 1 || !pool->caller_sleeps.load(std::memory_order_seq_cst)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->all_left);
  pthread_mutex_unlock(&pool->mutex);
}

bool new_loop(const ert_thread_pool* pool, uint32_t last) {
  const uint32_t state = pool->state.load(std::memory_order_seq_cst);
  return ((state & kOpen) != 0 && (state & kNumberMask) != last) || pool->stop.load(std::memory_order_seq_cst);
}

void sleep_until_work(ert_thread_pool* pool, uint32_t last) {
  pthread_mutex_lock(&pool->mutex);
  pool->sleepers.fetch_add(1, std::memory_order_seq_cst);  // before looking at state: open_loop writes state, then looks here
  while (!new_loop(pool, last)) pthread_cond_wait(&pool->work_ready, &pool->mutex);
  pool->sleepers.fetch_sub(1, std::memory_order_seq_cst);
  pthread_mutex_unlock(&pool->mutex);
}

void* worker_main(void* arg) {
  const Worker* self = static_cast<const Worker*>(arg);
  ert_thread_pool* pool = self->pool;
  uint32_t last = 0;
  while (!pool->stop.load(std::memory_order_acquire)) {
    if (join_loop(pool, &last)) {
      take_tasks(pool, self->index);
      leave_loop(pool);
    } else if (!spin_until([&] { return new_loop(pool, last); })) {
      sleep_until_work(pool, last);
    }
  }
  return nullptr;
}

void wake_sleepers(ert_thread_pool* pool) {
  if (pool->sleepers.load(std::memory_order_seq_cst) == 0) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->work_ready);
  pthread_mutex_unlock(&pool->mutex);
}

void wait_until_all_left(ert_thread_pool* pool) {
  const auto empty = [pool] { return (pool->state.load(std::memory_order_seq_cst) & kInsideMask) == 0; };
  if (spin_until(empty)) return;
  pthread_mutex_lock(&pool->mutex);
  pool->caller_sleeps.store(true, std::memory_order_seq_cst);
  while (!empty()) pthread_cond_wait(&pool->all_left, &pool->mutex);
  pool->caller_sleeps.store(false, std::memory_order_seq_cst);
  pthread_mutex_unlock(&pool->mutex);
}

void end_workers(ert_thread_pool* pool, uint32_t started) {
  pthread_mutex_lock(&pool->mutex);
  pool->stop.store(true, std::memory_order_seq_cst);
  pthread_cond_broadcast(&pool->work_ready);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t i = 0; i < started; ++i) pthread_join(workers_of(pool)[i].thread, nullptr);
  pthread_cond_destroy(&pool->all_left);
  pthread_cond_destroy(&pool->work_ready);
  pthread_mutex_destroy(&pool->mutex);
}

}  // namespace

size_t ert_thread_pool_bytes(uint32_t threads) {
  if (threads == 0 || threads > ERT_THREAD_POOL_MAX_THREADS) return 0;
  return sizeof(ert_thread_pool) + (threads - 1) * sizeof(Worker);
}

int ert_thread_pool_init(ert_thread_pool** out, void* storage, size_t bytes, uint32_t threads) {
  const size_t need = ert_thread_pool_bytes(threads);
  if (out == nullptr || storage == nullptr || need == 0 || bytes < need) return EINVAL;
  if (reinterpret_cast<uintptr_t>(storage) % ERT_THREAD_POOL_ALIGN != 0) return EINVAL;
  ert_thread_pool* pool = new (storage) ert_thread_pool;
  pool->threads = threads;
  pthread_mutex_init(&pool->mutex, nullptr);
  pthread_cond_init(&pool->work_ready, nullptr);
  pthread_cond_init(&pool->all_left, nullptr);
  for (uint32_t i = 0; i + 1 < threads; ++i) {
    Worker* worker = new (workers_of(pool) + i) Worker{pool, i + 1, {}};
    const int error = pthread_create(&worker->thread, nullptr, worker_main, worker);
    if (error != 0) {
      end_workers(pool, i);
      return error;
    }
  }
  *out = pool;
  return 0;
}

void ert_thread_pool_parallel_for(void* context, uint32_t tasks, ert_platform_task task, void* arg) {
  ert_thread_pool* pool = static_cast<ert_thread_pool*>(context);
  const bool alone = pool->threads == 1 || tasks <= 1 || tasks > kMaxSharedTasks;
  if (alone || pool->in_use.exchange(true, std::memory_order_acquire)) {
    for (uint32_t i = 0; i < tasks; ++i) task(arg, i, 0);
    return;
  }
  pool->tasks = tasks;
  pool->task = task;
  pool->arg = arg;
  pool->next_task.store(0, std::memory_order_relaxed);
  // Nobody is inside here, so a plain store opens the next loop. Number 0 is skipped: workers start with last = 0.
  uint32_t number = (pool->state.load(std::memory_order_relaxed) + kNumberUnit) & kNumberMask;
  if (number == 0) number = kNumberUnit;
  pool->state.store(kOpen | number, std::memory_order_seq_cst);
  wake_sleepers(pool);
  take_tasks(pool, 0);
  pool->state.fetch_and(~kOpen, std::memory_order_seq_cst);
  wait_until_all_left(pool);
  pool->in_use.store(false, std::memory_order_release);
}

void ert_thread_pool_shutdown(ert_thread_pool* pool) {
  if (pool != nullptr) end_workers(pool, pool->threads - 1);
}
