/* thread_pool.h - a fork-join pool on caller storage, for ert_config.parallel_for. The calling thread takes part as thread 0.
 * Idle workers spin for a short time (so that the gaps between two layers cost nothing), then sleep.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_POSIX_THREAD_POOL_H
#define ERT_PLATFORM_POSIX_THREAD_POOL_H

#include "platform/platform.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library is built with hidden symbols */
#endif

#define ERT_THREAD_POOL_MAX_THREADS 256u
#define ERT_THREAD_POOL_ALIGN 64u

/* Private; lives at the start of the caller's storage. */
typedef struct ert_thread_pool ert_thread_pool;

/* Bytes of storage for a pool of this many threads, the calling one included. 0 if threads is 0 or above the maximum. */
size_t ert_thread_pool_bytes(uint32_t threads);

/* Starts threads - 1 workers in storage (aligned to ERT_THREAD_POOL_ALIGN; it must stay in place until shutdown). Only the
 * system's thread creation may allocate memory. Returns 0 and sets *pool, or an errno value with no thread left running. */
int ert_thread_pool_init(ert_thread_pool** pool, void* storage, size_t bytes, uint32_t threads);

/* Runs task(arg, i, thread) for every i in [0, tasks); thread is in [0, threads). Matches ert_parallel_for, with the pool as
 * its context. A call while another thread's (or an enclosing) call is under way runs its tasks on the calling thread alone. */
void ert_thread_pool_parallel_for(void* pool, uint32_t tasks, ert_platform_task task, void* arg);

/* Ends and joins the workers. No parallel_for may be under way. The storage is free afterwards. */
void ert_thread_pool_shutdown(ert_thread_pool* pool);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif /* ERT_PLATFORM_POSIX_THREAD_POOL_H */
