// ert_selftest: the blob's golden vectors, bit for bit, in the context's own memory.
#include <string.h>

#include "rt/base/bytes.h"
#include "rt/context/states.h"
#include "rt/running/run.h"
#include "rt/sizes/dims.h"

namespace ert {
namespace {

void clear_bindings(ContextState* s, const Program& p) {
  for (uint32_t i = 0; i < p.inputs.size; ++i) s->inputs[i] = Binding{};
  for (uint32_t i = 0; i < p.outputs.size; ++i) s->outputs[i] = Binding{};
  s->prepared = 0;
  s->next_op = 0;
}

const uint8_t* golden_tensor(const Program& p, const fb::Golden& g, uint32_t k) {
  return p.blob + p.segments[g.segment()].offset() + g.offsets()->Get(k);
}

bool bind(const Operand& shape, uint32_t dtype, const void* data, Binding* out) {
  Operand o = shape;
  o.dtype = static_cast<uint8_t>(dtype);
  size_t bytes;
  if (!operand_bytes(o, &bytes)) return false;
  *out = Binding{const_cast<void*>(data), bytes, dtype, shape.rank, Binding::kNone, {}};
  memcpy(out->shape, shape.dims, sizeof out->shape);
  return true;
}

// Inputs straight from the blob, outputs into the room that the plan keeps for them.
bool bind_golden(ContextState* s, const Program& p, const fb::Golden& g) {
  uint8_t* next = s->golden;
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    Operand shape;
    if (!resolve_operand(p, p.inputs[i], s->exprs, &shape)) return false;
    if (!bind(shape, p.input_dtypes[i], golden_tensor(p, g, i), &s->inputs[i])) return false;
  }
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    Operand shape;
    if (!resolve_operand(p, p.outputs[i], s->exprs, &shape)) return false;
    if (!bind(shape, p.output_dtypes[i], next, &s->outputs[i])) return false;
    next += Bytes(s->outputs[i].bytes).aligned().value();  // the plan added up the same, of larger dims
  }
  return true;
}

// Apart from replay, so that its frame is gone before the ops run.
__attribute__((noinline)) ert_status prepare_golden(ContextState* s, const Program& p, const fb::Golden& g) {
  int32_t dims[ERT_MAX_DIMS] = {};
  for (uint32_t d = 0; d < p.dims.size; ++d) {
    dims[d] = g.dims()->Get(d);
    if (dims[d] > s->max_dims[d]) return ERT_ERR_DIMS;
  }
  return evaluate_exprs(p, dims, s->exprs) && bind_golden(s, p, g) ? ERT_OK : ERT_ERR_SELFTEST;
}

ert_status replay(ContextState* s, const Program& p, const fb::Golden& g) {
  ert_status status = prepare_golden(s, p, g);
  if (status != ERT_OK) return status;
  s->prepared = 0;
  status = begin_run(s, p, OutputsIn::kArena);
  if (status == ERT_OK) status = run_all(s, p);
  if (status != ERT_OK) return status == ERT_ERR_DIMS ? status : ERT_ERR_SELFTEST;
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    const Binding& b = s->outputs[i];
    if (memcmp(b.data, golden_tensor(p, g, p.inputs.size + i), b.bytes) != 0) return ERT_ERR_SELFTEST;
  }
  return ERT_OK;
}

}  // namespace
}  // namespace ert

using namespace ert;

ert_status ert_selftest(ert_context* c) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  const uint32_t n = p.root->golden() == nullptr ? 0 : p.root->golden()->size();
  ert_status status = n == 0 ? ERT_ERR_SELFTEST : ERT_OK;
  for (uint32_t i = 0; i < n && status == ERT_OK; ++i) {
    clear_bindings(&s, p);
    status = replay(&s, p, *p.root->golden()->Get(i));
  }
  clear_bindings(&s, p);
  bind_states(&s, p, false);
  return status;
}
