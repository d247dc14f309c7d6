// ert_model_macs and ert_model_work: what a run costs, from the blob and the dims alone.
#include "rt/base/abi.h"
#include "rt/loading/model.h"
#include "rt/sizes/dims.h"
#include "rt/sizes/prepare.h"

namespace ert {
namespace {

// Elements of operands count once each; of a table that is looked into, only what is found there, which is the output's.
// Nothing here wraps: no operand that an op accepts has more than 2^31 elements (operand_checks.h), so no op more than 2^49 multiply-
// accumulates, no Conv rectangles of more than 2^47 elements, and there are at most 2^16 ops of at most 64 operands.
uint64_t steps_besides_macs(const OpDef& def, const OpContext& c) {
  uint64_t elements = 0;
  for (uint32_t i = 0; i < c.n_inputs; ++i) {
    const bool table = c.inputs[i].constant && def.looks_up(i);
    if (c.inputs[i].present() && !table) elements += static_cast<uint64_t>(c.inputs[i].elements());
  }
  for (uint32_t i = 0; i < c.n_outputs; ++i) {
    if (c.outputs[i].present()) elements += static_cast<uint64_t>(c.outputs[i].elements());
  }
  return elements * def.steps_per_element + (def.further_steps == nullptr ? 0 : def.further_steps(c));
}

// Contents of inputs are looked at before the first op.
bool input_steps(const Program& p, const int64_t* exprs, uint64_t* steps) {
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    Operand input;
    size_t bytes;
    if (!resolve_operand(p, p.inputs[i], exprs, &input) || !operand_bytes(input, &bytes)) return false;
    *steps += static_cast<uint64_t>(input.elements());
  }
  return true;
}

}  // namespace
}  // namespace ert

using namespace ert;

ert_status ert_model_work(const ert_model* m, const int32_t* dims, ert_work* out) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  const Program p = program_view(s->blob, s->root);
  EvalMemory memory(p, s->lent);
  EvalScratch* scratch = memory.scratch();
  int32_t given[ERT_MAX_DIMS] = {};
  ert_work work{};
  work.ops = p.ops.size;
  if (!read_dims(p, dims, given) || !evaluate_exprs(p, given, scratch->exprs)) return ERT_ERR_DIMS;
  if (!input_steps(p, scratch->exprs, &work.steps)) return ERT_ERR_DIMS;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    OpContext c;
    const OpDef* def = resolve_op(p, i, scratch, &c);
    size_t unused = 0;
    if (def == nullptr || !def->prepare(c, &unused)) return ERT_ERR_DIMS;
    const uint64_t macs = def->macs == nullptr ? 0 : def->macs(c);
    const uint64_t steps = macs + steps_besides_macs(*def, c);
    work.macs += macs;
    work.steps += steps;
    if (steps > work.largest_op_steps) work.largest_op_steps = steps;
  }
  return write_struct(work, out) ? ERT_OK : ERT_ERR_ARG;
}

ert_status ert_model_macs(const ert_model* m, const int32_t* dims, uint64_t* macs) {
  if (macs == nullptr) return ERT_ERR_ARG;
  ert_work work{};
  work.struct_size = sizeof work;
  const ert_status status = ert_model_work(m, dims, &work);
  if (status == ERT_OK) *macs = work.macs;
  return status;
}
