// Shape and count checks shared by all prepare functions.
#include "rt/ops/operand_checks.h"

#include <string.h>

namespace ert::ops {
namespace {

bool within(uint32_t n, CountRange r) { return n >= r.min && n <= r.max; }

bool well_formed(const Operand& o) {
  if (!o.present()) return true;
  if (o.rank > ERT_MAX_RANK) return false;
  int64_t elements = 1;
  for (int i = 0; i < o.rank; ++i) {
    if (o.dims[i] < 0) return false;
    elements *= o.dims[i] > 0 ? o.dims[i] : 1;  // so that products of some axes stay small too
    if (elements > INT32_MAX) return false;
  }
  return true;
}

}  // namespace

size_t element_bytes(const Operand& o) {
  switch (o.dtype) {
    case ERT_F32:
    case ERT_I32: return 4;
    case ERT_U8:
    case ERT_I8:
    case ERT_BOOL: return 1;
    default: return 0;
  }
}

bool check_counts(const OpContext& c, CountRange inputs, CountRange outputs, CountRange ints, CountRange floats) {
  if (!within(c.n_inputs, inputs) || !within(c.n_outputs, outputs)) return false;
  if (!within(c.n_ints, ints) || !within(c.n_floats, floats)) return false;
  for (uint32_t i = 0; i < c.n_inputs; ++i) {
    if (!well_formed(c.inputs[i])) return false;
  }
  for (uint32_t i = 0; i < c.n_outputs; ++i) {
    if (!well_formed(c.outputs[i])) return false;
  }
  return true;
}

bool same_shape(const Operand& a, const Operand& b) {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

bool same_leading_shape(const Operand& a, const Operand& b) {
  if (a.rank + 1 != b.rank) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

bool is_finite(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits & 0x7f800000u) != 0x7f800000u;
}

bool set_scratch(size_t* scratch, Bytes bytes) { return bytes.aligned().get(scratch); }

int64_t elements_between(const Operand& o, int first, int last) {
  int64_t n = 1;
  for (int i = first; i < last; ++i) n *= o.dims[i];
  return n;
}

}  // namespace ert::ops
