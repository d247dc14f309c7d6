// Carves the working memory: see eval_memory.h.
#include "rt/sizes/eval_memory.h"

#include <new>

namespace ert {
uint32_t operand_room(const Program& p) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const bool bands = p.ops[i].code() == static_cast<uint16_t>(params::OpCode::kRowBands);
    const uint32_t n = operand_count(p.ops[i]) + (bands ? params::row_bands::kMostOperands : 0u);
    most = n > most ? n : most;
  }
  return most < kMostOperandRoom ? most : kMostOperandRoom;
}

size_t eval_bytes(const Program& p) { return p.exprs.size * sizeof(int64_t) + (operand_room(p) * sizeof(Operand) + 7) / 8 * 8; }

EvalMemory::EvalMemory(const Program& p, const LentMemory& lent) {
  if (lent.data != nullptr) {
    if (lent.bytes < eval_bytes(p)) return;
    void* operands = lent.data + p.exprs.size * sizeof(int64_t);
    const size_t n = operand_room(p);
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
