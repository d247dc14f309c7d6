// What ScatterND and ScatterElements do where an update meets the data.
#pragma once

#include <string.h>

#include "rt/ops/operand_checks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {

using params::scatter::Reduction;

// Replacing works on every dtype, the others on f32 and i32.
inline bool scatter_ok(const Operand& data, const Operand& updates, const Operand& out, int32_t reduction) {
  if (element_bytes(data) == 0 || updates.dtype != data.dtype || out.dtype != data.dtype || !same_shape(data, out)) return false;
  return reduction == params::scatter::kReplace ||
         (reduction > params::scatter::kReplace && reduction <= params::scatter::kMax && element_bytes(data) == 4);
}

inline void start_from(const Operand& data, const Operand& out) {
  if (data.data == out.data) return;
  memcpy(out.mut<uint8_t>(), data.as<uint8_t>(), static_cast<size_t>(data.elements()) * element_bytes(data));
}

inline float combine(Reduction how, float a, float b) {
  switch (how) {
    case params::scatter::kAdd: return plus(a, b);
    case params::scatter::kMul: return times(a, b);
    case params::scatter::kMin: return min_of(a, b);
    default: return max_of(a, b);
  }
}
inline int32_t combine(Reduction how, int32_t a, int32_t b) {
  switch (how) {
    case params::scatter::kAdd: return wrap_add(a, b);
    case params::scatter::kMul: return wrap_mul(a, b);
    case params::scatter::kMin: return min_of(a, b);
    default: return max_of(a, b);
  }
}

// count elements of out from `to` on meet the updates from `from` on.
inline void scatter(int32_t reduction, const Operand& updates, int64_t from, const Operand& out, int64_t to, int64_t count) {
  const Reduction how = static_cast<Reduction>(reduction);
  if (how == params::scatter::kReplace) {
    const int64_t bytes = static_cast<int64_t>(element_bytes(out));
    memcpy(out.mut<uint8_t>() + to * bytes, updates.as<uint8_t>() + from * bytes, static_cast<size_t>(count * bytes));
  } else if (is_f32(out)) {
    float* dst = out.mut<float>() + to;
    for (int64_t i = 0; i < count; ++i) dst[i] = combine(how, dst[i], updates.as<float>()[from + i]);
  } else {
    int32_t* dst = out.mut<int32_t>() + to;
    for (int64_t i = 0; i < count; ++i) dst[i] = combine(how, dst[i], updates.as<int32_t>()[from + i]);
  }
}

}  // namespace ert::ops
