// The first lanes of sixteen. Internal linkage: included by translation units with different flags.
#pragma once

#include <stddef.h>

#include "kernels_int8/avx512vnni/intrinsics.h"

namespace ert::kernels {
namespace {

inline __attribute__((always_inline)) __mmask16 lane_mask(size_t count) {
  return count >= 16 ? 0xffff : static_cast<__mmask16>((1u << count) - 1);
}

}  // namespace
}  // namespace ert::kernels
