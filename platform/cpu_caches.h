/* Sizes of the CPU's near caches. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CPU_CACHES_H
#define ERT_PLATFORM_CPU_CACHES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes, 0 where nothing is known. Of an L2 that cores share: all of it, as they work on the same weights. */
typedef struct ert_cpu_caches {
  uint32_t l1d;
  uint32_t l2;
} ert_cpu_caches;

/* Of the core that asks, by cpuid, on x86-64; of the fastest core, by what Linux shows of it, elsewhere on Linux; else nothing is known. Any thread. Costs as
 * much as ert_cpu_features, on other CPUs than x86 some small files, so callers keep the answer. */
ert_cpu_caches ert_find_cpu_caches(void);

/* Adds a cache as cpuid describes it in eax, ebx, ecx, edx of leaf 4 (Intel) or 0x8000001D (AMD). Returns 0 behind the last one. */
int ert_add_cpuid_cache(const uint32_t registers[4], ert_cpu_caches* caches);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CPU_CACHES_H */
