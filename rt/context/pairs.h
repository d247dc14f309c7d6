// Neighbouring ops that work better together: which they are. What they then do: rt/ops/handed_rows.h, rt/ops/row_norm.h. Results
// are the same bits as apart. The pairs of a program are found when a context is made and marked on the results of its Linears.
#pragma once

#include "rt/context/context.h"
#include "rt/ops/row_norm.h"

namespace ert {

// Bits of Operand::pairs.
enum Pairs : uint8_t {
  kHandsOver = 1,   // the next op alone reads the result, and takes it quantized
  kTakesOver = 2,   // the Linear before hands its result over to this one
  kNormBehind = 4,  // the next op is a LayerNorm of the result that may run row by row
};

// Marks the results of Linears in s->values, which lie where they will stay. A norm is taken along on several threads only: there it saves
// a fork and join, and rows do not move between cores; one thread finds them in its cache anyway.
void find_pairs(ContextState* s, const Program& p);

// The bits of op `index`; none where values are to be kept.
inline uint8_t pairs_of(const ContextState& s, const Program& p, uint32_t index) {
  const fb::Op& op = p.ops[index];
  if (s.keep_values != 0 || op.n_outputs() == 0) return 0;
  const int32_t result = operand_of(p, op, op.n_inputs());
  return result < 0 ? 0 : s.values[result].pairs;
}

// For an op with these bits: all but `norm`. *pair is as it was made.
void find_pair(const ContextState& s, const Program& p, uint32_t index, uint8_t pairs, LinearPair* pair);

// Of the op behind one with kNormBehind. Uses s.operands.
ops::RowNorm norm_behind(const ContextState& s, const Program& p, uint32_t index);

}  // namespace ert
