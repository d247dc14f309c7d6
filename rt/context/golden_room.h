// Memory of golden vectors in a context: room for the outputs of the largest one that its dims can replay, and for the inputs that recipes make.
#pragma once

#include "rt/blob/program.h"
#include "rt/context/memory_plan.h"
#include "rt/sizes/eval_memory.h"

namespace ert {

// The largest input is lent the memory of slots that nobody writes before it was read for the last time, where they hold it: a picture would otherwise
// take its memory twice, in the caller's buffer and here.
struct GoldenLoan {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t input = kNone;
  size_t bytes = 0;  // of the slots, which lie side by side
};

// At the largest dims, which exprs stand for; marks the slots, where given.
GoldenLoan golden_loan(const Program& p, const int64_t* exprs, Slot* slots = nullptr);

// Bytes of the room at these largest dims; false when that leaves the limits. Overwrites scratch->exprs.
bool golden_room(const Program& p, const int32_t* max_dims, EvalScratch* scratch, size_t* out);

}  // namespace ert
