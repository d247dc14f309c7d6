// Cache sizes: by cpuid on x86-64, by the files of Linux elsewhere.
#include "platform/cpu_caches.h"

#if !(defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')  // nobody asks there

#if ERT_HIDE_CPU_FEATURES
#include <stdlib.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__) && !defined(ERT_PLATFORM_MINIMAL)
#include "platform/posix/core_caches.h"
#endif

namespace {

#if defined(__x86_64__)
constexpr uint32_t kIntelsLeaf = 4, kAmdsLeaf = 0x8000001d, kMostCaches = 8;

// False if the CPU has no such leaf, or says nothing there.
bool read_leaf(uint32_t leaf, ert_cpu_caches* caches) {
  uint32_t r[4];
  for (uint32_t i = 0; i < kMostCaches; ++i) {
    if (__get_cpuid_count(leaf, i, &r[0], &r[1], &r[2], &r[3]) == 0 || ert_add_cpuid_cache(r, caches) == 0) return i != 0;
  }
  return true;
}

ert_cpu_caches find_caches() {
  ert_cpu_caches caches = {0, 0};
  if (!read_leaf(kIntelsLeaf, &caches)) read_leaf(kAmdsLeaf, &caches);
  return caches;
}
#elif defined(__linux__) && !defined(ERT_PLATFORM_MINIMAL)
ert_cpu_caches find_caches() { return ert_caches_of_fastest_core("/sys/devices/system/cpu"); }
#else
ert_cpu_caches find_caches() { return {0, 0}; }
#endif

}  // namespace

extern "C" int ert_add_cpuid_cache(const uint32_t registers[4], ert_cpu_caches* caches) {
  const uint32_t type = registers[0] & 31, level = registers[0] >> 5 & 7;
  if (type == 0) return 0;
  constexpr uint32_t kInstructions = 2;
  const uint32_t ways = (registers[1] >> 22) + 1, partitions = (registers[1] >> 12 & 1023) + 1, line = (registers[1] & 4095) + 1;
  const uint64_t bytes = uint64_t{ways} * partitions * line * (uint64_t{registers[2]} + 1);
  if (type == kInstructions || bytes > UINT32_MAX) return 1;
  if (level == 1) caches->l1d = static_cast<uint32_t>(bytes);
  if (level == 2) caches->l2 = static_cast<uint32_t>(bytes);
  return 1;
}

extern "C" ert_cpu_caches ert_find_cpu_caches(void) {
#if ERT_HIDE_CPU_FEATURES
  // For tests as on a CPU with other caches: bytes of L1d and L2, "1:1" or "0xffffffff:0xffffffff".
  if (const char* given = getenv("ERT_CPU_CACHES")) {
    char* end;
    const uint32_t l1d = static_cast<uint32_t>(strtoul(given, &end, 0));
    return {l1d, *end == ':' ? static_cast<uint32_t>(strtoul(end + 1, nullptr, 0)) : 0};
  }
#endif
  return find_caches();
}

#endif
