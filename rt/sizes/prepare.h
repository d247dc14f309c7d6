// Asking ops what they need before any memory is there: used by open, ert_arena_bytes, ert_model_work and init.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/sizes/eval_memory.h"
#include "rt/base/limits.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace ert {

// The axes and the number of packed rows for these sizes, without their starts.
RowMap row_map(const Program& p, const int64_t* exprs);

// What an op sees, without addresses, kernels and threads.
// operands: of the op, and room behind them (operand_room).
OpContext op_context(const Program& p, const fb::Op& op, Operand* operands, const int64_t* exprs);

// The registered implementation of a Custom op, or null.
const ert_custom_op* find_custom_op(const Program& p, uint32_t custom_index, const ert_config& cfg);
// Index in Program.custom_ops of a Custom op, or -1 for all other ops.
int32_t custom_index_of(const Program& p, const fb::Op& op);

// What op i is and sees, for the dims that scratch->exprs was evaluated for. Null where a size is above the limits.
const OpDef* resolve_op(const Program& p, uint32_t i, EvalScratch* scratch, OpContext* c);

// Runs prepare of every op for the dims that scratch->exprs was evaluated for. Sets the largest scratch of one thread, rounded
// to 64. cfg gives the custom ops; null = none known yet.
bool prepare_all(const Program& p, const ert_config* cfg, EvalScratch* scratch, size_t* scratch_per_thread);

constexpr size_t kMaxScratch = SIZE_MAX / (4 * limits::kMaxThreads);  // of one thread

}  // namespace ert
