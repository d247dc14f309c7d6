// int8 attention: what a key's values that hold an infinity or NaN do. NUMERICS.md 6.
#pragma once

namespace ert::kernels {
namespace {

// The scale to multiply weights with. NaN moves over to the scale of the key: then every row that sees the key is NaN, and none that does not, whose
// weight of 0 would become NaN too.
inline float scale_of_values(float scale, float* key_scale) {
  if (scale == scale) return scale;
  *key_scale = scale;
  return 0.0f;
}

}  // namespace
}  // namespace ert::kernels
