// ert_run and ert_step.
#include "rt/base/float_mode.h"
#include "rt/context/context.h"
#include "rt/sizes/dims.h"
#include "rt/context/pairs.h"
#include "rt/context/states.h"
#include "rt/running/run.h"

namespace ert {
namespace {

// Inputs, outputs and their aliases get the addresses that are bound now.
void place_bound_values(ContextState* s, const Program& p) {
  for (uint32_t v = 0; v < p.values.size; ++v) {
    const fb::Value& root = p.values[root_value(p, v)];
    if (storage_of(root) == Storage::kInput) s->values[v].data = s->inputs[root.index()].data;
    if (storage_of(root) == Storage::kOutput) s->values[v].data = s->outputs[root.index()].data;
  }
}

ert_status compute(ContextState* s, const Program& p, uint32_t index, const OpDef& def) {
  if (index != 0 && s->done_ahead == index) {
    s->done_ahead = 0;
    return ERT_OK;
  }
  const uint8_t pairs = pairs_of(*s, p, index);
  ops::RowNorm norm;
  if ((pairs & kNormBehind) != 0) norm = norm_behind(*s, p, index);
  OpContext c = gather_operands(*s, p, index);
  c.kernels = s->kernels;
  static_cast<Cores&>(c) = s->cores;
  c.parallel = Parallel{s->cfg.parallel_for, s->cfg.parallel_context, s->cfg.threads};
  c.scratch = s->scratch;
  c.scratch_stride = s->scratch_stride;
  if (pairs != 0) find_pair(*s, p, index, pairs, &c.pair);
  bool norm_done = false;
  if ((pairs & kNormBehind) != 0) c.pair.norm = &norm, c.pair.norm_done = &norm_done;
  const ert_status status = def.run(c);
  s->done_ahead = norm_done ? index + 1 : 0;
  return status;
}

ert_status run_one(ContextState* s, const Program& p, uint32_t index) {
  const OpDef& def = *find_op(p.ops[index].code());
  if (s->cfg.op_hook == nullptr) return compute(s, p, index, def);
  if (s->cfg.op_hook(s->cfg.op_hook_context, index, 0, def.name, op_name(p, index)) != 0) return ERT_ERR_ABORTED;
  const ert_status status = compute(s, p, index, def);
  s->cfg.op_hook(s->cfg.op_hook_context, index, 1, def.name, op_name(p, index));
  return status;
}

}  // namespace

ert_status begin_run(ContextState* s, const Program& p) {
  s->next_op = 0;
  s->done_ahead = 0;
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    if (s->outputs[i].data == nullptr) return refuse(ERT_ERR_STATE, about(ERT_FAULT_UNBOUND, Side::kOutput, i), &s->why);
  }
  int32_t dims[ERT_MAX_DIMS] = {};
  ert_status status = dims_of_inputs(*s, p, dims, &s->why);
  if (status == ERT_OK) status = evaluate_if_new(s, p, dims, p.packing.size == 0 ? kEveryRow : find_rows(s, p));
  if (status != ERT_OK) return status;
  place_bound_values(s, p);
  status = check_inputs(*s, p, &s->why);
  return status == ERT_OK ? check_outputs(*s, p, &s->why) : status;
}

ert_status run_op(ContextState* s, const Program& p, uint32_t op) {
  FloatMode mode;
  const ert_status status = run_one(s, p, op);
  return status == ERT_OK ? status : refuse(status, about_op(op), &s->why);
}

ert_status run_all(ContextState* s, const Program& p) {
  FloatMode mode;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const ert_status status = run_one(s, p, i);
    if (status != ERT_OK) return refuse(status, about_op(i), &s->why);
  }
  return ERT_OK;
}

}  // namespace ert

using namespace ert;

ert_status ert_run(ert_context* c) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  const ert_status status = begin_run(&s, p);
  if (status != ERT_OK) return status;
  const ert_status ran = run_all(&s, p);
  if (ran == ERT_OK) bind_states(&s, p, true);
  return ran;
}

ert_status ert_step(ert_context* c) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  if (s.next_op == 0) {
    const ert_status status = begin_run(&s, p);
    if (status != ERT_OK) return status;
  }
  const ert_status status = run_op(&s, p, s.next_op);
  if (status != ERT_OK || ++s.next_op == p.ops.size) {
    s.next_op = 0;
    if (status == ERT_OK) bind_states(&s, p, true);
    return status;
  }
  return ERT_STEP_MORE;
}
