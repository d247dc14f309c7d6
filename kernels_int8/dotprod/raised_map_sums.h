// Sums of convolutions over 8-bit maps that become fp32 by a subtraction (neon/magic_sums.h). Internal linkage.
#pragma once

#include <stddef.h>

#include "kernels_int8/neon/magic_sums.h"

namespace ert::kernels {
namespace {

// So long may patches be.
constexpr size_t kDepthOfRaised = 129;
static_assert(kDepthOfRaised * 255 * 127 <= kMostMagicSum, "places");

template <class Sums>
struct RaisedMapSums : Sums {
  static constexpr int32_t kStart = 0x4B400000;
  static inline __attribute__((always_inline)) float32x4_t to_floats(int32x4_t sum) { return value_of(sum); }
};

}  // namespace
}  // namespace ert::kernels
