// Steps of long chains of dependent operations, several side by side, in an order and from where sixteen registers suffice: what is left to the
// compiler finishes one chain before the next, and then the schedulers fill up with what waits. Internal linkage.
#pragma once

#include <immintrin.h>

namespace ert::kernels {
namespace {

// What chains use later, in memory.
template <int kChains>
struct alignas(32) KeptChains {
  float of[kChains][8];
};

// A constant in a register from here on: the compiler would otherwise read it from memory in each instruction that uses it.
inline __attribute__((always_inline)) __m256 constant8(const float* c) {
  __m256 x;
  __asm__ volatile("vbroadcastss %1, %0" : "=x"(x) : "m"(*c));
  return x;
}
template <int kChains>
inline __attribute__((always_inline)) void multiply_in_step(__m256 (&y)[kChains], const KeptChains<kChains>& by) {
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j)
    __asm__ volatile("vmulps %1, %0, %0" : "+x"(y[j]) : "m"(*reinterpret_cast<const __m256*>(by.of[j])));
}
// By values that lie one behind the other.
template <int kChains>
inline __attribute__((always_inline)) void multiply_in_step(__m256 (&y)[kChains], const float* by) {
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j)
    __asm__ volatile("vmulps %1, %0, %0" : "+x"(y[j]) : "m"(*reinterpret_cast<const __m256_u*>(by + 8 * j)));
}
template <int kChains>
inline __attribute__((always_inline)) void add_in_step(__m256 (&y)[kChains], const float* c) {
  const __m256 x = constant8(c);
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) __asm__ volatile("vaddps %1, %0, %0" : "+x"(y[j]) : "x"(x));
}

}  // namespace
}  // namespace ert::kernels
