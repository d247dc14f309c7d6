/* How fast the cores of a Linux system are beside each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CORE_SPEED_H
#define ERT_PLATFORM_CORE_SPEED_H

#ifdef __cplusplus
extern "C" {
#endif

/* By the cpuN/cpu_capacity of the folder (Linux: /sys/devices/system/cpu), which a system has that tells cores apart: work per time, 1024 for the
 * fastest. Both read as many files as there are cores. Any thread. */

/* The first of the fastest; 0 where nothing is told. */
unsigned ert_fastest_core(const char* folder);

/* 1 if some core is at least a quarter slower than the fastest; 0 otherwise, and where nothing is told. Less is what cores of one kind differ by. */
int ert_core_speeds_differ(const char* folder);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CORE_SPEED_H */
