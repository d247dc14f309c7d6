// Carves the working memory: see eval_memory.h.
#include "rt/sizes/eval_memory.h"

#include <new>

namespace ert {
namespace {

size_t widest_op(const Program& p) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) most = operand_count(p.ops[i]) > most ? operand_count(p.ops[i]) : most;
  return most < kMaxOperands ? most : kMaxOperands;
}

}  // namespace

size_t eval_bytes(const Program& p) { return p.exprs.size * sizeof(int64_t) + (widest_op(p) * sizeof(Operand) + 7) / 8 * 8; }

EvalMemory::EvalMemory(const Program& p, const LentMemory& lent) {
  if (lent.data != nullptr) {
    if (lent.bytes < eval_bytes(p)) return;
    void* operands = lent.data + p.exprs.size * sizeof(int64_t);
    const size_t n = widest_op(p);
    scratch_.exprs = static_cast<int64_t*>(static_cast<void*>(lent.data));
    scratch_.operands = static_cast<Operand*>(operands);
    for (size_t i = 0; i < n; ++i) new (scratch_.operands + i) Operand{};
    return;
  }
#if ERT_EVAL_ON_STACK
  scratch_.exprs = exprs_;
  scratch_.operands = operands_;
#endif
}

}  // namespace ert
