// Sizes for concrete dims: the blob's size expressions, shapes of values and the bytes that they take.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace ert {

// Bytes of one element of a dense dtype, 0 for anything else.
uint32_t element_bytes(uint32_t dtype);

// Evaluates all expressions in order into out[0, exprs), for this many packed rows. False on overflow of int64 or division by
// zero, and when there can be more rows than INT32_MAX.
constexpr int32_t kEveryRow = -1;  // batch * sequence: nothing is padded, or nobody knows yet
bool evaluate_exprs(const Program& p, const int32_t* dims, int64_t* out, int32_t rows = kEveryRow);

// Dtype, rank, dims and the constant flag of value v; data stays null except for constants. False when an axis is below 1
// or above INT32_MAX.
bool resolve_operand(const Program& p, uint32_t v, const int64_t* exprs, Operand* out);

// The same of input k, or of output k - inputs, with the dtype that the caller binds.
bool resolve_port(const Program& p, uint32_t k, const int64_t* exprs, Operand* out);

// Whether these largest dims hold a golden vector, and its expressions.
bool golden_within(const Program& p, const fb::Golden& g, const int32_t* max_dims);
bool evaluate_golden(const Program& p, const fb::Golden& g, int64_t* exprs);

// Bytes of a dense or packed tensor. False when it is above limits::kMaxTensorBytes or what an object can have here (rt/base/bytes.h).
bool operand_bytes(const Operand& o, size_t* bytes);

}  // namespace ert
