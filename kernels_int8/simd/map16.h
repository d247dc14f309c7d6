// Elementwise maps over a row. Include a lanes16_<isa>.h, or mve/lanes4_mve.h, first.
#pragma once

#include "kernels_int8/simd/elementary16.h"

namespace ert::kernels {
namespace {

// Two vectors a step where there are registers for them: the polynomials are long chains.
template <Lanes (*function)(Lanes)>
ERT_LANES void map16(size_t n, const float* src, float* dst) {
  size_t i = 0;
  if (kPredicatedAccess) {  // the tail costs nothing there, and a second copy of `function` would be most of the code
    for (; i < n; i += kWidth) store_first(dst + i, function(load_first(src + i, n - i)), n - i);
    return;
  }
  if (kRegistersForTwoLanes) {
    for (; i + 32 <= n; i += 32) {
      const Lanes a = function(load(src + i));
      const Lanes b = function(load(src + i + 16));
      store(dst + i, a);
      store(dst + i + 16, b);
    }
  }
  for (; i + 16 <= n; i += 16) store(dst + i, function(load(src + i)));
  if (i < n) store_first(dst + i, function(load_first(src + i, n - i)), n - i);
}

// The same with four vectors a step where there are registers for them.
template <Lanes4 (*function4)(Lanes4), Lanes (*function)(Lanes)>
ERT_LANES void map16_by4(size_t n, const float* src, float* dst) {
  size_t i = 0;
  if (kRegistersForLanes4) {
    for (; i + 64 <= n; i += 64) store4(dst + i, function4(load4(src + i)));
  }
  map16<function>(n - i, src + i, dst + i);
}

// And with twelve.
template <Lanes12 (*function12)(Lanes12), Lanes4 (*function4)(Lanes4), Lanes (*function)(Lanes)>
ERT_LANES void map16_by12(size_t n, const float* src, float* dst) {
  size_t i = 0;
  if (kRegistersForLanes4) {
    for (; i + 192 <= n; i += 192) {
      const Lanes12 y = function12(Lanes12{load4(src + i), load4(src + i + 64), load4(src + i + 128)});
      store4(dst + i, y.a);
      store4(dst + i + 64, y.b);
      store4(dst + i + 128, y.c);
    }
  }
  map16_by4<function4, function>(n - i, src + i, dst + i);
}

}  // namespace
}  // namespace ert::kernels
