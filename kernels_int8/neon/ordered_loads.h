// Loads of 8 bytes for the tiles of cores that issue in order. Volatile asm: the order of the source is the order of issue. Internal
// linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {
namespace {

typedef uint64_t __attribute__((may_alias, aligned(1))) EightBytes;

// Into a vector register: int8x8_t, or the low half of an int8x16_t.
template <class Vector>
inline __attribute__((always_inline)) Vector load_vector(const int8_t* p) {
  Vector bytes;
  __asm__ volatile("ldr %d0, %1" : "=w"(bytes) : "m"(*reinterpret_cast<const EightBytes*>(p)));
  return bytes;
}
// On their way there, through a core register.
inline __attribute__((always_inline)) uint64_t load_core(const int8_t* p) {
  uint64_t bytes;
  __asm__ volatile("ldr %0, %1" : "=r"(bytes) : "m"(*reinterpret_cast<const EightBytes*>(p)));
  return bytes;
}

}  // namespace
}  // namespace ert::kernels
