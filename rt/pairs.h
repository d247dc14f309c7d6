// Neighbouring ops that work better together: which they are. What they then do: rt/ops/handed_rows.h, rt/ops/row_norm.h. Results
// are the same bits as apart.
#pragma once

#include "rt/context.h"
#include "rt/ops/row_norm.h"

namespace ert {

// Of a Linear and the Linears before and behind it; nothing for other ops. Without `norm`.
LinearPair pair_of(const ContextState& s, const Program& p, uint32_t index);

// Is op `index` a Linear with a LayerNorm of its result behind it that may run row by row? On several threads only: there it saves a
// fork and join, and rows do not move between cores; one thread finds them in its cache anyway. Uses s.operands.
bool find_norm_behind(const ContextState& s, const Program& p, uint32_t index, ops::RowNorm* norm);

}  // namespace ert
