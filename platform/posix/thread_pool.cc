// Fork-join pool: see thread_pool.h.
//
// A loop's task numbers are handed out in shares: thread t starts with the t-th part and then helps the others. So the same rows
// of consecutive loops stay with the same core and its caches. What a worker needs to start is in the one cache line of its
// share, which is also the line that it polls: on some machines a line takes 100-200 ns from core to core, and a small encoder
// has thousands of loops a second.
//
// To take a task is to raise `next` of a share below its end. That alone keeps the loop open: the caller returns when the
// threads have finished as many tasks as there are. A worker that wakes too late finds its share empty and is not waited for.
#include "platform/posix/thread_pool.h"

#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <new>

// ThreadSanitizer does not model fences, and GCC refuses them: its builds get an operation on the counter that orders as much.
#if defined(__SANITIZE_THREAD__)
#define ERT_POOL_WITHOUT_FENCE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ERT_POOL_WITHOUT_FENCE 1
#endif
#endif
#ifndef ERT_POOL_WITHOUT_FENCE
#define ERT_POOL_WITHOUT_FENCE 0
#endif

namespace {

constexpr uint64_t kSpinNs = 30000;
constexpr uint32_t kMaxSharedTasks = 1u << 30;  // a share's counter overshoots by at most the number of threads

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

struct alignas(64) Share {
  std::atomic<uint64_t> range{0};  // end << 32 | next
  ert_platform_task task = nullptr;
  void* arg = nullptr;
  std::atomic<uint32_t> finished{0};  // tasks that the owner has run since the start, of any share
};

bool has_tasks(uint64_t range) { return static_cast<uint32_t>(range) < static_cast<uint32_t>(range >> 32); }

}  // namespace

struct ert_thread_pool {
  uint32_t threads = 1;
  uint32_t finished_by_workers = 0;  // in all loops before this one; of the caller
  std::atomic<uint32_t> in_use{0};   // a word: RISC-V exchanges bytes only by a library call
  // Written only when somebody goes to sleep, so that everyone can keep a copy of the line.
  alignas(64) std::atomic<bool> stop{false};
  std::atomic<bool> caller_sleeps{false};
  std::atomic<uint32_t> sleepers{0};
  pthread_mutex_t mutex;
  pthread_cond_t work_ready;  // workers sleep here
  pthread_cond_t all_done;    // the caller sleeps here
};

namespace {

// Storage: the pool, a share per thread, the workers.
Share* shares_of(ert_thread_pool* pool) { return reinterpret_cast<Share*>(pool + 1); }
Worker* workers_of(ert_thread_pool* pool) { return reinterpret_cast<Worker*>(shares_of(pool) + pool->threads); }

// Even parts; the first threads, which certainly run, get the larger ones. The caller's own share comes last.
void share_out(ert_thread_pool* pool, uint32_t tasks, ert_platform_task task, void* arg) {
  const uint32_t each = tasks / pool->threads, larger = tasks % pool->threads;
  uint32_t end = tasks;
  for (uint32_t t = pool->threads; t-- > 0;) {
    Share& share = shares_of(pool)[t];
    const uint32_t first = end - each - (t < larger ? 1 : 0);
    share.task = task;
    share.arg = arg;
    share.range.store(uint64_t{end} << 32 | first, std::memory_order_release);
    end = first;
  }
}

// Runs tasks of one share until none is left; returns how many.
uint32_t run_share(Share* share, uint32_t thread) {
  uint32_t n = 0;
  // The load keeps a share that is used up from being written by everyone who looks.
  while (has_tasks(share->range.load(std::memory_order_relaxed))) {
    const uint64_t range = share->range.fetch_add(1, std::memory_order_acq_rel);
    if (!has_tasks(range)) break;
    share->task(share->arg, static_cast<uint32_t>(range), thread);
    ++n;
  }
  return n;
}

Share* share_after(ert_thread_pool* pool, uint32_t thread, uint32_t distance) {
  const uint32_t t = thread + distance;
  return shares_of(pool) + (t < pool->threads ? t : t - pool->threads);
}

// Tells the caller that a worker is done with n more tasks.
void add_finished(ert_thread_pool* pool, uint32_t thread, uint32_t n) {
  if (n == 0) return;
  std::atomic<uint32_t>& finished = shares_of(pool)[thread].finished;
  finished.store(finished.load(std::memory_order_relaxed) + n, std::memory_order_seq_cst);
  if (!pool->caller_sleeps.load(std::memory_order_seq_cst)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->all_done);
  pthread_mutex_unlock(&pool->mutex);
}

void sleep_until_work(ert_thread_pool* pool, const Share& own) {
  pthread_mutex_lock(&pool->mutex);
  pool->sleepers.fetch_add(1, std::memory_order_seq_cst);  // before looking at the share: the caller fills it, then looks here
  while (!has_tasks(own.range.load(std::memory_order_seq_cst)) && !pool->stop.load(std::memory_order_seq_cst)) {
    pthread_cond_wait(&pool->work_ready, &pool->mutex);
  }
  pool->sleepers.fetch_sub(1, std::memory_order_seq_cst);
  pthread_mutex_unlock(&pool->mutex);
}

void* worker_main(void* arg) {
  const Worker* self = static_cast<const Worker*>(arg);
  ert_thread_pool* pool = self->pool;
  Share& own = shares_of(pool)[self->index];
  const auto called = [&] {
    return has_tasks(own.range.load(std::memory_order_relaxed)) || pool->stop.load(std::memory_order_relaxed);
  };
  while (!pool->stop.load(std::memory_order_acquire)) {
    if (!spin_until(called)) sleep_until_work(pool, own);
    for (uint32_t i = 0; i < pool->threads; ++i) {
      add_finished(pool, self->index, run_share(share_after(pool, self->index, i), self->index));
    }
  }
  return nullptr;
}

// The number of sleepers, looked up after the shares are filled.
uint32_t count_sleepers(ert_thread_pool* pool) {
#if ERT_POOL_WITHOUT_FENCE
  // Either this comes after a worker's addition and sees it, or the worker's addition reads from this one and then sees the shares.
  return pool->sleepers.fetch_add(0, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);  // leaves everyone's copy of the line as it is
  return pool->sleepers.load(std::memory_order_seq_cst);
#endif
}

void wake_sleepers(ert_thread_pool* pool) {
  if (count_sleepers(pool) == 0) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->work_ready);
  pthread_mutex_unlock(&pool->mutex);
}

// Until the workers have finished `tasks` more in this loop. The counts wrap around.
void wait_for_workers(ert_thread_pool* pool, uint32_t tasks) {
  const uint32_t target = pool->finished_by_workers + tasks;
  const auto done = [pool, target] {
    uint32_t sum = 0;
    for (uint32_t t = 1; t < pool->threads; ++t) sum += shares_of(pool)[t].finished.load(std::memory_order_seq_cst);
    return sum == target;
  };
  if (!spin_until(done)) {
    pthread_mutex_lock(&pool->mutex);
    pool->caller_sleeps.store(true, std::memory_order_seq_cst);
    while (!done()) pthread_cond_wait(&pool->all_done, &pool->mutex);
    pool->caller_sleeps.store(false, std::memory_order_seq_cst);
    pthread_mutex_unlock(&pool->mutex);
  }
  pool->finished_by_workers = target;
}

void end_workers(ert_thread_pool* pool, uint32_t started) {
  pthread_mutex_lock(&pool->mutex);
  pool->stop.store(true, std::memory_order_seq_cst);
  pthread_cond_broadcast(&pool->work_ready);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t i = 0; i < started; ++i) pthread_join(workers_of(pool)[i].thread, nullptr);
  pthread_cond_destroy(&pool->all_done);
  pthread_cond_destroy(&pool->work_ready);
  pthread_mutex_destroy(&pool->mutex);
}

}  // namespace

size_t ert_thread_pool_bytes(uint32_t threads) {
  if (threads == 0 || threads > ERT_THREAD_POOL_MAX_THREADS) return 0;
  return sizeof(ert_thread_pool) + threads * sizeof(Share) + (threads - 1) * sizeof(Worker);
}

int ert_thread_pool_init(ert_thread_pool** out, void* storage, size_t bytes, uint32_t threads) {
  const size_t need = ert_thread_pool_bytes(threads);
  if (out == nullptr || storage == nullptr || need == 0 || bytes < need) return EINVAL;
  if (reinterpret_cast<uintptr_t>(storage) % ERT_THREAD_POOL_ALIGN != 0) return EINVAL;
  ert_thread_pool* pool = new (storage) ert_thread_pool;
  pool->threads = threads;
  for (uint32_t i = 0; i < threads; ++i) new (shares_of(pool) + i) Share;
  pthread_mutex_init(&pool->mutex, nullptr);
  pthread_cond_init(&pool->work_ready, nullptr);
  pthread_cond_init(&pool->all_done, nullptr);
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
  if (alone || pool->in_use.exchange(1, std::memory_order_acquire)) {
    for (uint32_t i = 0; i < tasks; ++i) task(arg, i, 0);
    return;
  }
  share_out(pool, tasks, task, arg);
  wake_sleepers(pool);
  uint32_t own = 0;
  for (uint32_t i = 0; i < pool->threads; ++i) own += run_share(share_after(pool, 0, i), 0);
  wait_for_workers(pool, tasks - own);
  pool->in_use.store(0, std::memory_order_release);
}

void ert_thread_pool_shutdown(ert_thread_pool* pool) {
  if (pool != nullptr) end_workers(pool, pool->threads - 1);
}
