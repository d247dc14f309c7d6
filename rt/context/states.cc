// See states.h; ert_state_reset.
#include "rt/context/states.h"

#include <string.h>

#include "rt/base/bytes.h"
#include "rt/sizes/dims.h"

namespace ert {
namespace {

// A state as the caller sees it.
bool resolve_state(const Program& p, const fb::State& state, const int64_t* exprs, Operand* o, size_t* bytes) {
  return resolve_port(p, state.input(), exprs, o) && operand_bytes(*o, bytes);
}

void bind_copy(ContextState* s, const Operand& shape, uint8_t* data, size_t bytes, Binding* b) {
  if (b->data != nullptr && b->state != Binding::kOwn) {
    b->state = Binding::kCallers;
    return;
  }
  if (b->dtype != shape.dtype) s->prepared = 0;  // a new width of integers, as where the caller binds
  *b = Binding{data, bytes, shape.dtype, shape.rank, Binding::kOwn, {}};
  memcpy(b->shape, shape.dims, sizeof b->shape);
}

}  // namespace

bool state_bytes(const Program& p, const int64_t* exprs, size_t* out) {
  Bytes sum;
  for (uint32_t i = 0; i < p.states.size; ++i) {
    Operand shape;
    size_t bytes;
    if (!resolve_state(p, p.states[i], exprs, &shape, &bytes)) return false;
    sum = sum + Bytes(bytes).aligned();
  }
  return sum.get(out);
}

void bind_states(ContextState* s, const Program& p, bool ran) {
  if (ran) s->state_copy = s->state_bytes - s->state_copy;
  uint8_t *read = s->states + s->state_copy, *written = s->states + s->state_bytes - s->state_copy;
  for (uint32_t i = 0; i < p.states.size; ++i) {
    Operand shape;
    size_t bytes;
    if (!resolve_state(p, p.states[i], s->exprs, &shape, &bytes)) return;  // cannot be: the plan has asked the same
    Binding* output = &s->outputs[p.states[i].output()];
    if (ran && output->state == Binding::kCallers) memcpy(read, output->data, bytes);
    bind_copy(s, shape, read, bytes, &s->inputs[p.states[i].input()]);
    bind_copy(s, shape, written, bytes, output);
    const size_t step = Bytes(bytes).aligned().value();
    read += step;
    written += step;
  }
}

}  // namespace ert

using namespace ert;

ert_status ert_state_reset(ert_context* c) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  memset(s.states, 0, 2 * s.state_bytes);
  s.next_op = 0;
  return ERT_OK;
}
