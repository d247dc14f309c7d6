// Questions that prepare functions ask about operands and parameters. Blobs are hostile: every op asks before it trusts.
#pragma once

#include <stdint.h>

#include "rt/base/bytes.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"

namespace ert::ops {

inline constexpr Operand kAbsentOperand{};

// Operand i, or an absent one when the op has fewer: trailing absent operands may be left out of the blob.
inline const Operand& input(const OpContext& c, uint32_t i) { return i < c.n_inputs ? c.inputs[i] : kAbsentOperand; }
inline const Operand& output(const OpContext& c, uint32_t i) { return i < c.n_outputs ? c.outputs[i] : kAbsentOperand; }

inline bool is_f32(const Operand& o) { return o.dtype == ERT_F32; }
inline bool is_i32(const Operand& o) { return o.dtype == ERT_I32; }
inline bool is_bool(const Operand& o) { return o.dtype == ERT_BOOL; }

// A 4-byte element whatever its type, for ops that only move it.
typedef uint32_t __attribute__((may_alias)) Word32;

// Bytes of one element; 0 for absent operands, packed layouts and int64, which exist only at the boundary or in constants.
size_t element_bytes(const Operand& o);

struct CountRange {
  uint32_t min, max;
};

// Counts of operands and parameters within the ranges, and every operand well formed: rank <= 8, no negative dim, fewer
// than 2^31 elements. Call it first: other checks rely on it.
bool check_counts(const OpContext& c, CountRange inputs, CountRange outputs, CountRange ints, CountRange floats);

bool same_shape(const Operand& a, const Operand& b);
// Shape of `a` equals the first axes of `b`, which has exactly one axis more.
bool same_leading_shape(const Operand& a, const Operand& b);
inline bool is_vector(const Operand& o, int64_t n) { return o.rank == 1 && o.dims[0] == n; }

inline bool is_axis(int32_t axis, int rank) { return axis >= 0 && axis < rank; }
inline bool is_flag(int32_t v) { return v == 0 || v == 1; }
inline bool is_expr(const OpContext& c, int32_t index) { return index >= 0 && static_cast<uint32_t>(index) < c.n_exprs; }
inline int64_t expr(const OpContext& c, int32_t index) { return c.exprs[index]; }
bool is_finite(float v);

// Scratch per thread; false if no memory of this machine could hold it.
bool set_scratch(size_t* scratch, Bytes bytes);

// The scratch of one thread as floats. It is 64-byte aligned.
inline float* scratch_floats(const OpContext& c, uint32_t thread, size_t offset = 0) {
  return static_cast<float*>(static_cast<void*>(c.scratch + c.scratch_stride * thread + offset));
}

// Product of dims [first, last).
int64_t elements_between(const Operand& o, int first, int last);

}  // namespace ert::ops
