// What of the CPU's cores decides speed only: kernels and splits of work go by it.
#pragma once

#include "kernels_int8/contract/cache_sizes.h"
#include "platform/cpu_caches.h"
#include "platform/cpu_features.h"

namespace ert {

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
// Firmware: known when it is built, neither memory nor code.
struct Cores {
  static constexpr kernels::CacheSizes caches = {};
  static constexpr bool uneven = false;
};
inline Cores find_cores(uint32_t) { return {}; }
#else
struct Cores {
  kernels::CacheSizes caches;
  bool uneven = false;  // some threads are known to be slower than others
};

// Of the CPU; caches that it does not tell are as CacheSizes has them.
inline Cores find_cores(uint32_t threads) {
  Cores cores;
  const ert_cpu_caches found = ert_find_cpu_caches();
  if (found.l1d != 0) cores.caches.l1d = found.l1d;
  if (found.l2 != 0) cores.caches.l2 = found.l2;
  cores.uneven = threads > 1 && ert_cpu_cores_differ() != 0;
  return cores;
}
#endif

}  // namespace ert
