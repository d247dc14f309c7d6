// What kernels know of the CPU's near caches. It decides in which order weights are read and what is fetched ahead: never a bit of a result, nor
// sizes of scratch or arena, which are known before the CPU is.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {

struct CacheSizes {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
  static constexpr uint32_t l1d = 32u << 10, l2 = 1u << 20;  // no kernel of these cores asks: neither memory nor code
#else
  uint32_t l1d = 32u << 10, l2 = 1u << 20;  // bytes; these where the CPU does not tell
#endif

  // Bytes of weights from which on a second block of rows fetches the next group of columns: those of a model of many such layers lie in a far
  // cache, whose latency the hardware's prefetchers hide only while nobody else uses it.
  size_t far_from_tiles() const { return size_t{2} * l1d; }
  // Bytes of weights that several panels at a time are worth for one row: what L2 still holds from one step of a recurrence to the next.
  size_t near_to_one_row() const { return l2 / 2; }
  // Bytes of weights that L1d keeps, beside rows and results, until other rows meet them.
  size_t kept_near() const { return l1d / 2; }
};

}  // namespace ert::kernels
