// Between open and the end of a run nothing allocates or frees. The C library's functions are interposed and counted; a
// canary proves that the count works.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <new>

#include "platform/posix/thread_pool.h"
#include "tests/support/context_fixture.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<int> calls{0};
void note() {
  if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1);
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void __libc_free(void*);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t n) { return note(), __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return note(), __libc_calloc(n, size); }
void* realloc(void* p, size_t n) { return note(), __libc_realloc(p, n); }
void free(void* p) { note(), __libc_free(p); }
void* aligned_alloc(size_t alignment, size_t n) { return note(), __libc_memalign(alignment, n); }
int posix_memalign(void** out, size_t alignment, size_t n) {
  note();
  *out = __libc_memalign(alignment, n);
  return *out == nullptr;
}
}

void* operator new(size_t n) { return note(), __libc_malloc(n); }
void operator delete(void* p) noexcept { note(), __libc_free(p); }
void operator delete(void* p, size_t) noexcept { note(), __libc_free(p); }

namespace ert::testing {
namespace {

template <class F>
int allocations_in(const F& f) {
  calls = 0;
  counting = true;
  f();
  counting = false;
  return calls;
}

void* volatile sink;

TEST(NoAllocation, TheCounterSeesEachKind) {
  EXPECT_EQ(allocations_in([] { sink = ::malloc(8); }), 1);
  EXPECT_EQ(allocations_in([] { ::free(sink); }), 1);
  EXPECT_EQ(allocations_in([] { sink = ::calloc(1, 8); }), 1);
  EXPECT_EQ(allocations_in([] { sink = ::realloc(sink, 64); }), 1);
  ::free(sink);
  EXPECT_EQ(allocations_in([] { sink = ::operator new(8); }), 1);
  EXPECT_EQ(allocations_in([] { ::operator delete(sink); }), 1);
}

TEST(NoAllocation, FromOpenToTheEndOfARun) {
  for (uint32_t threads : {1u, 3u}) {
    AlignedBytes pool_storage(ert_thread_pool_bytes(threads));
    ert_thread_pool* pool = nullptr;
    ASSERT_EQ(ert_thread_pool_init(&pool, pool_storage.data(), pool_storage.size(), threads), 0);
    const AlignedBytes blob = small_program().build();
    ert_config cfg = config_of_size();
    cfg.threads = threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool;
    AlignedBytes memory(1 << 16);
    float x[32] = {}, out[32] = {};
    ert_status statuses[8];
    const int count = allocations_in([&] {
      ert_model model;
      ert_context context;
      ert_memory_need need{};
      need.struct_size = sizeof need;
      const ert_region region = {memory.data(), memory.size()};
      statuses[0] = ert_model_open(&model, blob.data(), blob.size());
      statuses[1] = ert_arena_bytes(&model, &cfg, nullptr, &need);
      statuses[2] = ert_context_init(&context, &model, &cfg, nullptr, &region, 1);
      for (int32_t batch : {8, 2}) {
        ert_tensor in{}, result{};
        in.struct_size = result.struct_size = sizeof in;
        in.dtype = result.dtype = ERT_F32;
        in.rank = 2, in.shape[0] = batch, in.shape[1] = 4;
        in.data = x, in.bytes = sizeof x;
        result.data = out, result.bytes = sizeof out;
        statuses[3] = ert_bind_input(&context, 0, &in);
        statuses[4] = ert_bind_output(&context, 0, &result);
        statuses[5] = ert_run(&context);
        statuses[6] = ert_step(&context);
        statuses[7] = ert_selftest(&context);
      }
    });
    for (int i = 0; i < 6; ++i) EXPECT_EQ(statuses[i], ERT_OK) << i;
    EXPECT_EQ(statuses[6], ERT_STEP_MORE);
    EXPECT_EQ(count, 0);
    ert_thread_pool_shutdown(pool);
  }
}

}  // namespace
}  // namespace ert::testing
