/* platform.h - what the runtime, its tools and its examples may ask of the machine they run on. C API, one backend linked
 * in: posix/ (Linux and other POSIX systems), cortex_m/ (boards), or minimal/ (bare metal without anything).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_H
#define ERT_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library is built with hidden symbols */
#endif

/* Nanoseconds of a clock that never goes back; its zero is arbitrary. The minimal backend has no clock and always returns
 * ERT_CLOCK_ABSENT, a figure that is easy to notice in a report. Callable from any thread. */
uint64_t ert_clock_ns(void);
#define ERT_CLOCK_ABSENT UINT64_C(424242424242)

/* The types of ert_task and ert_parallel_for in rt/include/ert.h, repeated here because platform includes nothing of rt. */
typedef void (*ert_platform_task)(void* arg, uint32_t index, uint32_t thread);
typedef void (*ert_platform_parallel_for)(void* context, uint32_t tasks, ert_platform_task task, void* arg);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif /* ERT_PLATFORM_H */
