// What convolutions over maps do with the sums of the kernel's rows.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/ref/clamp.h"

namespace ert::kernels {
namespace {

// Row i of the kernel: acc is its sum over q * weight.
inline F32 add_map_row(F32 t, size_t i, int32_t acc, int32_t colsum, const RowScale& s) {
  const F32 x = F32(static_cast<float>(acc - s.zero_point * colsum)) * F32(s.scale);
  return i == 0 ? x : t + x;
}

inline float map_output(F32 t, const PackedWeights& w, size_t n, Clamp clamp) {
  const F32 y = t * F32(w.scale[n]);
  return to_float(clamped(clamp, w.bias != nullptr ? y + F32(w.bias[n]) : y));
}

}  // namespace
}  // namespace ert::kernels
