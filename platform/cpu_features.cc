// CPU levels by cpuid and xgetbv on x86-64. Other architectures have the reference only until their kernels exist.
#include "platform/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
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
#endif

}  // namespace

extern "C" uint32_t ert_cpu_isa_mask(void) {
#if defined(__x86_64__)
  return kRefBit | x86_mask();
#else
  return kRefBit;
#endif
}
