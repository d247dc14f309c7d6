// Results of convolutions over 8-bit maps on cores that have no floating-point maximum: the fp32 steps of ref/map_output.h with the same bits in fewer
// instructions. Internal linkage.
#pragma once

#include <stddef.h>

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {
namespace {

// -0 + x is x.
constexpr float kNoBias = -0.0f;
inline F32 before_first_row(size_t rows) { return rows == 0 ? 0.0f : -0.0f; }

// By bits: what is less than zero has them, as signed integers, from those of -0 on, the least of all, up to minus infinity; negative NaN are above.
struct ClampBits {
  int32_t below;  // bits less than it become zero
  bool six;
  inline __attribute__((always_inline)) float above_zero(F32 x) const {
    const int32_t bits = static_cast<int32_t>(bits_of(to_float(x)));
    return float_of(static_cast<uint32_t>(bits < below ? 0 : bits));
  }
};
inline ClampBits clamp_bits(Clamp clamp) {
  constexpr int32_t kMinusInfinity = -0x800000;
  return {clamp == Clamp::kNone ? INT32_MIN : kMinusInfinity + 1, clamp == Clamp::kRelu6};
}

__attribute__((noinline)) inline void below_six(size_t n, float* x, ptrdiff_t stride) {
  for (size_t i = 0; i < n; ++i, x += stride) *x = to_float(smaller(F32(6.0f), F32(*x)));
}

}  // namespace
}  // namespace ert::kernels
