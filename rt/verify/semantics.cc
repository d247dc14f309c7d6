// The order of the semantic checks, and the last but one of them: every op's prepare at the smallest and the largest dims.
#include "rt/verify/semantics.h"

#include "rt/sizes/dims.h"
#include "rt/base/limits.h"
#include "rt/sizes/prepare.h"

namespace ert {
namespace {

ert_status verify_at(const Program& p, const int32_t* dims, EvalScratch* scratch) {
  if (!evaluate_exprs(p, dims, scratch->exprs)) return ERT_ERR_MODEL;
  for (uint32_t v = 0; v < p.values.size; ++v) {
    Operand o;
    size_t bytes;
    if (!resolve_operand(p, v, scratch->exprs, &o)) return ERT_ERR_MODEL;
    if (!operand_bytes(o, &bytes)) return ERT_ERR_LIMIT;
  }
  if (!sharing_is_exact(p, scratch->exprs)) return ERT_ERR_MODEL;
  size_t scratch_bytes;
  return prepare_all(p, nullptr, scratch, &scratch_bytes) ? ERT_OK : ERT_ERR_MODEL;
}

}  // namespace

ert_status verify_counts(const Program& p) {
  const bool within = p.dims.size <= ERT_MAX_DIMS && p.exprs.size <= limits::kMaxExprs && p.values.size <= limits::kMaxValues &&
                      p.ops.size <= limits::kMaxOps && p.operands.size <= limits::kMaxOperandEntries &&
                      p.slots <= limits::kMaxSlots && p.inputs.size <= limits::kMaxInputs &&
                      p.outputs.size <= limits::kMaxOutputs &&
                      (p.root->golden() == nullptr || p.root->golden()->size() <= limits::kMaxGolden);
  if (!within) return ERT_ERR_LIMIT;
  return p.ops.size != 0 && p.outputs.size != 0 ? ERT_OK : ERT_ERR_MODEL;
}

ert_status verify_semantics(const Program& p, const LentMemory& lent) {
  const ert_status counts = verify_counts(p);
  if (counts != ERT_OK) return counts;
  if (!verify_layouts(p)) return ERT_ERR_LAYOUT;
  EvalMemory memory(p, lent);
  EvalScratch* scratch = memory.scratch();
  if (scratch == nullptr) return ERT_ERR_NOMEM;
  if (!verify_exprs_and_dims(p) || !verify_values(p) || !verify_boundary(p) || !verify_packing(p, scratch) || !verify_states(p))
    return ERT_ERR_MODEL;
  const ert_status ops = verify_ops(p);
  if (ops != ERT_OK) return ops;
  if (!verify_lifetimes(p) || !verify_golden(p, scratch)) return ERT_ERR_MODEL;
  int32_t dims[ERT_MAX_DIMS] = {};
  for (uint32_t i = 0; i < p.dims.size; ++i) dims[i] = p.dims[i].min();
  const ert_status smallest = verify_at(p, dims, scratch);
  if (smallest != ERT_OK) return smallest;
  for (uint32_t i = 0; i < p.dims.size; ++i) dims[i] = p.dims[i].max();
  const ert_status largest = verify_at(p, dims, scratch);
  return largest == ERT_OK && ERT_CHECK_COLUMN_SUMS ? verify_column_sums(p, scratch) : largest;
}

}  // namespace ert
