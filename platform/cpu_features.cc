// CPU features: by cpuid and xgetbv on x86-64, by the kernel's hardware capabilities on ARM Linux. What the compiler was told to assume
// decides on other ARM systems; firmware is built for one core.
#include "platform/cpu_features.h"

#if ERT_HIDE_CPU_FEATURES
#include <stdlib.h>
#endif

// platform/minimal, which tests build on hosts too, asks no operating system.
#if defined(__linux__) && !defined(ERT_PLATFORM_MINIMAL)
#define ERT_ASK_LINUX 1
#else
#define ERT_ASK_LINUX 0
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#elif ERT_ASK_LINUX && (defined(__aarch64__) || defined(__arm__))
#include <sys/auxv.h>

#include "platform/posix/core_order.h"
#endif
#if ERT_ASK_LINUX
#include "platform/posix/core_speed.h"
#endif

namespace {

#if defined(__x86_64__)

// XCR0: SSE and AVX registers; the AVX-512 mask, upper-half and upper-sixteen states on top.
constexpr uint32_t kYmmState = 0x06;
constexpr uint32_t kZmmState = 0xe6;

uint32_t xcr0() {
  uint32_t eax, edx;
  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

bool has(uint32_t reg, int bit) { return (reg >> bit & 1) != 0; }

uint32_t features() {
  uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return 0;
  uint32_t found = has(c, 9) && has(c, 19) ? ERT_CPU_SSE41 : 0;  // SSSE3, SSE4.1
  if (!has(c, 27) || !has(c, 28)) return found;                  // OSXSAVE, AVX
  const uint32_t state = xcr0();
  if ((state & kYmmState) != kYmmState) return found;
  uint32_t b7, c7;
  if (__get_cpuid_count(7, 0, &a, &b7, &c7, &d) == 0 || !has(b7, 5)) return found;  // AVX2
  const uint32_t subleaves = a;
  found |= ERT_CPU_AVX2;
  if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && has(a, 4)) found |= ERT_CPU_AVXVNNI;
  const bool avx512 = has(b7, 16) && has(b7, 17) && has(b7, 30) && has(b7, 31);  // F, DQ, BW, VL
  if (avx512 && has(c7, 11) && (state & kZmmState) == kZmmState) found |= ERT_CPU_AVX512VNNI;
  return found;
}

// Bits of Linux' asm/hwcap.h, by number: headers older than a feature lack its name. They describe all cores of the system.
#elif ERT_ASK_LINUX && defined(__aarch64__)
constexpr unsigned long kHwcapAsimd = 1ul << 1, kHwcapAsimdDp = 1ul << 20, kHwcap2I8mm = 1ul << 13;

uint32_t features() {
  const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  return ((caps & kHwcapAsimd) != 0 ? ERT_CPU_NEON : 0u) | ((caps & kHwcapAsimdDp) != 0 ? ERT_CPU_DOTPROD : 0u) |
         ((caps2 & kHwcap2I8mm) != 0 ? ERT_CPU_I8MM : 0u);
}
#elif ERT_ASK_LINUX && defined(__arm__)
constexpr unsigned long kHwcapNeon = 1ul << 12;

uint32_t features() { return (getauxval(AT_HWCAP) & kHwcapNeon) != 0 ? ERT_CPU_NEON : 0u; }
#else
uint32_t features() { return ERT_CPU_ASSUMED; }
#endif

}  // namespace

extern "C" uint32_t ert_cpu_features(void) {
#if ERT_HIDE_CPU_FEATURES
  // For tests on a smaller CPU than the machine's (./test.sh --isa): bits ERT_CPU_* to hide.
  const char* hidden = getenv("ERT_HIDDEN_CPU_FEATURES");
  return features() & ~(hidden == nullptr ? 0u : static_cast<uint32_t>(strtoul(hidden, nullptr, 0)));
#else
  return features();
#endif
}

#if ERT_ASK_LINUX && defined(__aarch64__)
extern "C" int ert_cpu_in_order(void) { return ert_cores_in_order("/sys/devices/system/cpu"); }
#else
extern "C" int ert_cpu_in_order(void) { return 0; }
#endif

#if !(defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')  // nobody asks there
namespace {

#if defined(__x86_64__)
bool is_hybrid() {
  uint32_t a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && has(d, 15);
}
#else
bool is_hybrid() { return false; }
#endif

}  // namespace

extern "C" int ert_cpu_cores_differ(void) {
#if ERT_HIDE_CPU_FEATURES
  // For tests as on another system: 0 or 1.
  if (const char* given = getenv("ERT_CPU_CORES_DIFFER")) return *given == '1' ? 1 : 0;
#endif
  if (is_hybrid()) return 1;
#if ERT_ASK_LINUX
  return ert_core_speeds_differ("/sys/devices/system/cpu");
#else
  return 0;
#endif
}
#endif
