// The cache sizes that kernels and splits of work go by.
#pragma once

#include "kernels_int8/contract/cache_sizes.h"
#include "platform/cpu_caches.h"

namespace ert {

// Of the CPU; what it does not tell is as CacheSizes has it. Firmware asks nothing.
inline kernels::CacheSizes find_caches() {
  kernels::CacheSizes sizes;
#if !(defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')
  const ert_cpu_caches found = ert_find_cpu_caches();
  if (found.l1d != 0) sizes.l1d = found.l1d;
  if (found.l2 != 0) sizes.l2 = found.l2;
#endif
  return sizes;
}

}  // namespace ert
