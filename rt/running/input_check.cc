// What a run refuses before its first op: shapes that contradict each other, ids out of range, NaN and Inf, buffers that are
// too small or overlap each other, the blob, the context or its regions.
#include <string.h>

#include "rt/context/context.h"
#include "rt/running/run.h"
#include "rt/sizes/dims.h"

namespace ert {
namespace {

template <class T>
bool all_within(const T* data, int64_t n, int64_t lowest, int64_t highest) {
  T least = data[0], most = data[0];
  for (int64_t i = 0; i < n; ++i) {
    least = data[i] < least ? data[i] : least;
    most = data[i] > most ? data[i] : most;
  }
  return least >= lowest && most <= highest;
}

// The exponent of NaN and Inf is all ones, which carries into the sign. Integer arithmetic, so no float mode matters.
uint32_t exponent_carry(const uint8_t* p) {
  constexpr uint32_t kExponent = 0x7F800000u, kLowestOfIt = 0x00800000u;
  uint32_t bits;
  memcpy(&bits, p, 4);
  return (bits & kExponent) + kLowestOfIt;
}

bool all_finite(const void* data, int64_t n) {
  constexpr int kLanes = kFastForms ? 16 : 1;  // that do not wait for each other
  const uint8_t* p = static_cast<const uint8_t*>(data);
  uint32_t carries[kLanes] = {}, all = 0;
  for (; n >= kLanes; n -= kLanes, p += 4 * kLanes) {
#pragma GCC unroll 16
    for (int j = 0; j < kLanes; ++j) carries[j] |= exponent_carry(p + 4 * j);
  }
  for (; n > 0; --n, p += 4) all |= exponent_carry(p);
  for (const uint32_t carry : carries) all |= carry;
  return (all >> 31) == 0;
}

int64_t integer_at(const Operand& o, int64_t i) { return o.dtype == ERT_I32 ? o.as<int32_t>()[i] : o.as<int64_t>()[i]; }

// The first element that all_within refused.
ert_error_detail first_outside(uint32_t input, const Operand& o, int64_t lowest, int64_t highest) {
  int64_t i = 0;
  while (integer_at(o, i) >= lowest && integer_at(o, i) <= highest) ++i;
  ert_error_detail d = about(ERT_FAULT_RANGE, Side::kInput, input, integer_at(o, i), lowest, highest);
  d.element = i;
  return d;
}

// The first element that all_finite refused.
ert_error_detail first_not_finite(uint32_t input, const void* data) {
  int64_t i = 0;
  while (all_finite(static_cast<const uint8_t*>(data) + 4 * i, 1)) ++i;
  uint32_t bits;
  memcpy(&bits, static_cast<const uint8_t*>(data) + 4 * i, 4);
  ert_error_detail d = about(ERT_FAULT_NOT_FINITE, Side::kInput, input, bits, 0, 0);
  d.element = i;
  return d;
}

bool contents_allowed(const Program& p, uint32_t input, const Operand& o, ert_error_detail* why) {
  const int64_t n = o.elements();
  if (o.dtype == ERT_F32) {
    if (all_finite(o.data, n)) return true;
    *why = first_not_finite(input, o.data);
    return false;
  }
  if (p.input_ranges.size == 0 || (o.dtype != ERT_I32 && o.dtype != ERT_I64)) return true;
  // The runtime computes in 32 bits, so a 64-bit input must fit them in any case.
  const int64_t lowest = p.input_ranges[input].min(), highest = p.input_ranges[input].max();
  const bool allowed =
      o.dtype == ERT_I32 ? all_within(o.as<int32_t>(), n, lowest, highest) : all_within(o.as<int64_t>(), n, lowest, highest);
  if (!allowed) *why = first_outside(input, o, lowest, highest);
  return allowed;
}

// What the context itself reads and writes while it runs.
bool in_context(const ContextState& s, const void* data, size_t bytes) {
  for (uint32_t r = 0; r < s.n_regions; ++r) {
    if (overlap(data, bytes, s.regions[r].base, s.regions[r].bytes)) return true;
  }
  return overlap(data, bytes, &s, sizeof(ert_context));
}

bool output_is_separate(const ContextState& s, const Program& p, uint32_t output, size_t bytes) {
  const void* data = s.outputs[output].data;
  if (overlap(data, bytes, s.blob, s.blob_bytes)) return false;
  if (s.outputs[output].state != Binding::kOwn && in_context(s, data, bytes)) return false;
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    size_t input_bytes;
    if (!operand_bytes(s.values[p.inputs[i]], &input_bytes)) return false;
    if (overlap(data, bytes, s.inputs[i].data, input_bytes)) return false;
  }
  for (uint32_t other = 0; other < output; ++other) {
    size_t other_bytes;
    if (!operand_bytes(s.values[p.outputs[other]], &other_bytes)) return false;
    if (overlap(data, bytes, s.outputs[other].data, other_bytes)) return false;
  }
  return true;
}

}  // namespace

ert_status check_inputs(const ContextState& s, const Program& p, ert_error_detail* why) {
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    const Operand& o = s.values[p.inputs[i]];
    for (uint32_t axis = 0; axis < o.rank; ++axis) {
      const int32_t want = o.dims[axis], size = s.inputs[i].shape[axis];
      if (size != want) return refuse(ERT_ERR_INPUT, about_axis(Side::kInput, i, axis, size, want, want), why);
    }
    size_t bytes;
    if (!operand_bytes(o, &bytes)) return ERT_ERR_DIMS;
    if (s.inputs[i].state != Binding::kOwn && in_context(s, s.inputs[i].data, bytes))
      return refuse(ERT_ERR_ARG, about(ERT_FAULT_OVERLAP, Side::kInput, i), why);
    if (!contents_allowed(p, i, o, why)) return ERT_ERR_INPUT;
  }
  return ERT_OK;
}

ert_status check_outputs(const ContextState& s, const Program& p, ert_error_detail* why) {
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    size_t bytes;
    if (!operand_bytes(s.values[p.outputs[i]], &bytes)) return ERT_ERR_DIMS;
    const int64_t given = static_cast<int64_t>(s.outputs[i].bytes), need = static_cast<int64_t>(bytes);
    if (bytes > s.outputs[i].bytes)
      return refuse(ERT_ERR_NOMEM, about(ERT_FAULT_BUFFER, Side::kOutput, i, given, need, need), why);
    if (!output_is_separate(s, p, i, bytes)) return refuse(ERT_ERR_ARG, about(ERT_FAULT_OVERLAP, Side::kOutput, i), why);
  }
  return ERT_OK;
}

}  // namespace ert
