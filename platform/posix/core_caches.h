/* Cache sizes as Linux shows them. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CORE_CACHES_H
#define ERT_PLATFORM_CORE_CACHES_H

#include "platform/cpu_caches.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the core with the largest cpuN/cpu_capacity in the folder (Linux: /sys/devices/system/cpu), the first of those, by its
 * cpuN/cache/indexI/level, type and size. The files are missing where the system's description of the machine has no sizes. Any thread. */
ert_cpu_caches ert_caches_of_fastest_core(const char* folder);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CORE_CACHES_H */
