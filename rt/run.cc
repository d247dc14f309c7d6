// ert_run and ert_step.
#include <string.h>

#include "rt/context.h"
#include "rt/dims.h"
#include "rt/float_mode.h"
#include "rt/op_params.h"

namespace ert {
namespace {

// A task on another thread: the float mode belongs to the thread, so it is set there too.
struct ModeTask {
  ert_task task;
  void* arg;
};

void run_in_mode(void* arg, uint32_t index, uint32_t thread) {
  const ModeTask& t = *static_cast<const ModeTask*>(arg);
  FloatMode mode;
  t.task(t.arg, index, thread);
}

// Inputs, outputs and their aliases get the addresses that are bound now.
void place_bound_values(ContextState* s, const Program& p) {
  for (uint32_t v = 0; v < p.values.size; ++v) {
    const fb::Value& root = p.values[root_value(p, v)];
    if (storage_of(root) == Storage::kInput) s->values[v].data = s->inputs[root.index()].data;
    if (storage_of(root) == Storage::kOutput) s->values[v].data = s->outputs[root.index()].data;
  }
}

bool is_linear(const fb::Op& op) { return op.code() == static_cast<uint16_t>(params::OpCode::kLinear); }

// Is `index` a Linear whose result nobody reads but the int8 Linear behind it, as its x?
bool pairs_with_next(const Program& p, uint32_t index) {
  if (index + 1 >= p.ops.size || !is_linear(p.ops[index]) || !is_linear(p.ops[index + 1])) return false;
  namespace linear = params::linear;
  const fb::Op& next = p.ops[index + 1];
  const int32_t result = operand_of(p, p.ops[index], p.ops[index].n_inputs());
  if (operand_of(p, next, linear::kX) != result || p.ints[next.first_int() + linear::kPrecision] != linear::kInt8) return false;
  for (uint32_t k = linear::kX + 1; k < next.n_inputs(); ++k) {
    const int32_t v = operand_of(p, next, k);
    if (v >= 0 && storage_of(p.values[static_cast<uint32_t>(v)]) != Storage::kConstant) return false;
  }
  const fb::Value& value = p.values[static_cast<uint32_t>(result)];
  return storage_of(value) == Storage::kArena && value.last_op() == index + 1;
}

LinearPair pair_of(const ContextState& s, const Program& p, uint32_t index) {
  LinearPair pair;
  if (s.keep_values != 0) return pair;
  if (pairs_with_next(p, index)) {
    pair.hands_over = true;
    const fb::Op& next = p.ops[index + 1];
    const int32_t smooth = next.n_inputs() > params::linear::kInvSmooth ? operand_of(p, next, params::linear::kInvSmooth) : -1;
    if (smooth >= 0) pair.inv_smooth = s.values[smooth].as<float>();
  }
  if (index > 0 && pairs_with_next(p, index - 1)) {
    const Operand& x = s.values[operand_of(p, p.ops[index - 1], params::linear::kX)];
    pair.producer_depth = x.dims[x.rank - 1];
  }
  return pair;
}

ert_status run_one(ContextState* s, const Program& p, uint32_t index) {
  OpContext c = gather_operands(*s, p, index);
  c.kernels = s->kernels;
  c.parallel = Parallel{s->cfg.parallel_for, s->cfg.parallel_context, s->cfg.threads};
  c.scratch = s->scratch;
  c.scratch_stride = s->scratch_stride;
  c.pair = pair_of(*s, p, index);
  const OpDef* def = find_op(p.ops[index].code());
  if (s->cfg.op_hook == nullptr) return def->run(c);
  if (s->cfg.op_hook(s->cfg.op_hook_context, index, 0, def->name, op_name(p, index)) != 0) return ERT_ERR_ABORTED;
  const ert_status status = def->run(c);
  s->cfg.op_hook(s->cfg.op_hook_context, index, 1, def->name, op_name(p, index));
  return status;
}

}  // namespace

void Parallel::on_hook(uint32_t tasks, ert_task task, void* arg) const {
  ModeTask wrapped{task, arg};
  hook(context, tasks, run_in_mode, &wrapped);
}

ert_status evaluate_if_new(ContextState* s, const Program& p, const int32_t* dims, int32_t rows) {
  if (s->prepared != 0 && rows == s->rows && memcmp(dims, s->dims, p.dims.size * sizeof(int32_t)) == 0) return ERT_OK;
  s->next_op = 0;
  return evaluate_dims(s, p, dims, rows);
}

ert_status begin_run(ContextState* s, const Program& p) {
  s->next_op = 0;
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
  return status == ERT_OK ? run_all(&s, p) : status;
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
    return status;
  }
  return ERT_STEP_MORE;
}
