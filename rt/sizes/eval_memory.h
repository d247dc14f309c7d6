// Working memory for asking a program about sizes before any arena is there: the values of all size expressions and the operands of one
// op. On the stack, or lent by the caller of ert_model_open_in; ert_run never needs it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/base/limits.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"
#include "rt/blob/program.h"

namespace ert {

struct EvalScratch {
  int64_t* exprs;     // as many as the program has
  Operand* operands;  // operand_room()
};

// Operands of the widest op, and of the widest one in it behind those.
constexpr uint32_t kMostOperandRoom = kMaxOperands + params::row_bands::kMostOperands;
uint32_t operand_room(const Program& p);

// Bytes that ert_model_open_in needs for this program: what EvalMemory takes out of lent memory. Safe before the ops are verified.
size_t eval_bytes(const Program& p);

// Memory that the caller lent, or nothing.
struct LentMemory {
  uint8_t* data = nullptr;  // 8-aligned
  size_t bytes = 0;
};

class EvalMemory {
 public:
  // p has at most limits::kMaxExprs expressions.
  EvalMemory(const Program& p, const LentMemory& lent);
  // Null: the lent memory is too small, or there is none and none on the stack.
  EvalScratch* scratch() { return scratch_.exprs == nullptr ? nullptr : &scratch_; }

 private:
  EvalScratch scratch_{nullptr, nullptr};
#if ERT_EVAL_ON_STACK
  int64_t exprs_[limits::kMaxExprs];
  Operand operands_[kMostOperandRoom];
#endif
};

}  // namespace ert
