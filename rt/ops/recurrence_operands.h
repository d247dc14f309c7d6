// Operands of a Recurrence: their sizes, and whether they fit together.
#pragma once

#include <stdint.h>

#include "rt/ops/op_defs.h"

namespace ert::ops {

// gate_columns: columns of a gate with the padding behind it.
struct RecurrenceSizes {
  int64_t steps, batch, directions, hidden, gates, gate_columns;
  int64_t columns() const { return gates * gate_columns; }
};

// Of an op whose input `projected` and output last_h have rank 3 and whose kind is known.
RecurrenceSizes recurrence_sizes(const OpContext& c);
// Weights, scale, colsum or bias (params::recurrence) of a direction; absent where the op has fewer inputs.
const Operand& recurrence_weight(const OpContext& c, int64_t direction, int which);
// The questions of prepare once the counts are right.
bool recurrence_operands_ok(const OpContext& c);

}  // namespace ert::ops
