// CPU levels: by cpuid and xgetbv on x86-64, by the kernel's hardware capabilities on ARM Linux. What the compiler was told to assume
// decides on other ARM systems.
#include "platform/cpu_features.h"

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

namespace {

// Numbers of ert_isa in ert.h; this folder includes nothing.
constexpr uint32_t kRefBit = 1u << 0;

#if defined(__x86_64__)
constexpr uint32_t kAvx2Bit = 1u << 1;
constexpr uint32_t kAvxVnniBit = 1u << 2;
constexpr uint32_t kAvx512VnniBit = 1u << 3;

// XCR0: SSE and AVX registers; the AVX-512 mask, upper-half and upper-sixteen states on top.
constexpr uint32_t kYmmState = 0x06;
constexpr uint32_t kZmmState = 0xe6;

uint32_t xcr0() {
  uint32_t eax, edx;
  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

bool has(uint32_t reg, int bit) { return (reg >> bit & 1) != 0; }

uint32_t x86_mask() {
  uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has(c, 27) || !has(c, 28)) return 0;  // OSXSAVE, AVX
  const uint32_t state = xcr0();
  if ((state & kYmmState) != kYmmState) return 0;
  uint32_t b7, c7;
  if (__get_cpuid_count(7, 0, &a, &b7, &c7, &d) == 0 || !has(b7, 5)) return 0;  // AVX2
  const uint32_t subleaves = a;
  uint32_t mask = kAvx2Bit;
  if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && has(a, 4)) mask |= kAvxVnniBit;
  const bool avx512 = has(b7, 16) && has(b7, 17) && has(b7, 30) && has(b7, 31);  // F, DQ, BW, VL
  if (avx512 && has(c7, 11) && (state & kZmmState) == kZmmState) mask |= kAvx512VnniBit;
  return mask;
}

uint32_t cpu_mask() { return x86_mask(); }

#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
// Firmware is built for one core.
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
uint32_t cpu_mask() { return 1u << 17; }
#elif defined(__ARM_FEATURE_SIMD32)
uint32_t cpu_mask() { return 1u << 16; }
#else
uint32_t cpu_mask() { return 0; }
#endif

#elif defined(__aarch64__) || defined(__arm__)
constexpr uint32_t kNeonBit = 1u << 8;
constexpr uint32_t kDotprodBit = 1u << 9;
constexpr uint32_t kI8mmBit = 1u << 10;

// Levels for cores that issue in order need the same instructions as those for others.
#ifdef __aarch64__
constexpr uint32_t kNeonBits = kNeonBit | 1u << 11, kDotprodBits = kDotprodBit | 1u << 12;
#else
constexpr uint32_t kNeonBits = kNeonBit, kDotprodBits = kDotprodBit;
#endif

// A level stands on the one before it.
uint32_t arm_mask(bool neon, bool dotprod, bool i8mm) {
  if (!neon) return 0;
  if (!dotprod) return kNeonBits;
  return i8mm ? kNeonBits | kDotprodBits | kI8mmBit : kNeonBits | kDotprodBits;
}

// Bits of Linux' asm/hwcap.h, by number: headers older than a feature lack its name. They describe all cores of the system.
#if ERT_ASK_LINUX && defined(__aarch64__)
constexpr unsigned long kHwcapAsimd = 1ul << 1, kHwcapAsimdDp = 1ul << 20, kHwcap2I8mm = 1ul << 13;

uint32_t cpu_mask() {
  const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  return arm_mask((caps & kHwcapAsimd) != 0, (caps & kHwcapAsimdDp) != 0, (caps2 & kHwcap2I8mm) != 0);
}
#elif ERT_ASK_LINUX
constexpr unsigned long kHwcapNeon = 1ul << 12;

uint32_t cpu_mask() { return arm_mask((getauxval(AT_HWCAP) & kHwcapNeon) != 0, false, false); }
#else
#ifdef __ARM_NEON
constexpr bool kNeon = true;
#else
constexpr bool kNeon = false;
#endif
#ifdef __ARM_FEATURE_DOTPROD
constexpr bool kDotprod = true;
#else
constexpr bool kDotprod = false;
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
constexpr bool kI8mm = true;
#else
constexpr bool kI8mm = false;
#endif

uint32_t cpu_mask() { return arm_mask(kNeon, kDotprod, kI8mm); }
#endif

#else
uint32_t cpu_mask() { return 0; }
#endif

}  // namespace

extern "C" uint32_t ert_cpu_isa_mask(void) { return kRefBit | cpu_mask(); }

#if ERT_ASK_LINUX && defined(__aarch64__)
extern "C" int ert_cpu_in_order(void) { return ert_cores_in_order("/sys/devices/system/cpu"); }
#else
extern "C" int ert_cpu_in_order(void) { return 0; }
#endif
