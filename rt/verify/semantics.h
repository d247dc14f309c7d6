// Second half of opening a blob: does the program make sense? After OK every index, shape, lifetime and parameter that a
// run uses has been checked, so running trusts them.
#pragma once

#include "rt/sizes/eval_memory.h"
#include "rt/blob/header.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace ert {

// Returns OK, LAYOUT, MODEL, LIMIT, UNSUPPORTED, NOMEM (the lent memory is too small).
ert_status verify_semantics(const Program& p, const LentMemory& lent);

// The steps, in order; each relies on the ones before.
ert_status verify_counts(const Program& p);
bool verify_layouts(const Program& p);                        // verify/values.cc: weights in a layout of a later minor version?
bool verify_exprs_and_dims(const Program& p);                 // verify/values.cc
bool verify_values(const Program& p);                         // verify/values.cc
bool verify_boundary(const Program& p);                       // verify/values.cc: inputs and outputs
bool verify_packing(const Program& p, EvalScratch* scratch);  // verify/packing.cc: the mask, and who may depend on it
bool verify_states(const Program& p);                         // verify/states.cc: outputs that are inputs of the next run
ert_status verify_ops(const Program& p);                      // verify/ops.cc: operands, definition before use, single writes
bool verify_lifetimes(const Program& p);                      // verify/lifetimes.cc: no two live values share a slot
bool verify_golden(const Program& p, EvalScratch* scratch);   // verify/values.cc

// verify/column_sums.cc: int8 weights against the sums of their columns, once all ops are prepared. Overwrites scratch->exprs. Returns OK,
// MODEL, LIMIT (the same weights with ever new sums).
ert_status verify_column_sums(const Program& p, EvalScratch* scratch);

// True if op `op` may write the arena value `next` over the arena value `prev` that it reads: output 0, every read of it
// through an operand that the op declares in-place, and both of one dtype.
bool in_place_allowed(const Program& p, uint32_t op, uint32_t prev, uint32_t next);

// For these sizes: an alias covers its root exactly, and a value that is computed in place is as large as the one that it replaces.
// Open asks for the smallest and the largest dims, every change of the dims again.
bool sharing_is_exact(const Program& p, const int64_t* exprs);

}  // namespace ert
