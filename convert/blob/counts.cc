// See counts.h. The bounds are those that the runtime verifies (rt/verify/semantics.cc).
#include "convert/blob/counts.h"

#include <string>

#include "convert/ir/diagnostics.h"
#include "rt/base/limits.h"

namespace edgeconv {

namespace {

void check_count(size_t count, uint32_t most, const char* what) {
  if (count > most)
    throw FatalError(ExitCode::kLimit, "the blob would have " + std::to_string(count) + " " + what + ", the runtime takes " +
                                           std::to_string(most) +
                                           "; where loops were unrolled, a smaller --dim or --fix makes fewer rounds of them");
}

}  // namespace

void check_counts(const TargetProgram& p, size_t segments) {
  using namespace ert::limits;
  check_count(p.inputs.size(), kMaxInputs, "inputs");
  check_count(p.outputs.size(), kMaxOutputs, "outputs");
  check_count(p.ops.size(), kMaxOps, "operators");
  check_count(p.values.size(), kMaxValues, "tensors");
  check_count(p.exprs.rows().size(), kMaxExprs, "different sizes of tensors (size expressions)");
  check_count(segments, kMaxSegments, "constants and golden vectors (segments)");
  size_t operands = 0;
  for (const TargetOp& op : p.ops) operands += op.inputs.size() + op.outputs.size();
  check_count(operands, kMaxOperandEntries, "operands");
}

}  // namespace edgeconv
