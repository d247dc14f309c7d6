// ert_selftest: the blob's golden vectors, bit for bit, in the context's own memory.
#include <string.h>

#include "rt/base/bytes.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/recipe.h"
#include "rt/context/golden_room.h"
#include "rt/context/states.h"
#include "rt/running/run.h"
#include "rt/sizes/dims.h"

namespace ert {
namespace {

void clear_bindings(ContextState* s, const Program& p) {
  static_assert(Binding::kNone == 0, "zeros are not bound");
  memset(static_cast<void*>(s->inputs), 0, p.inputs.size * sizeof(Binding));
  memset(static_cast<void*>(s->outputs), 0, p.outputs.size * sizeof(Binding));
  s->prepared = 0;
  s->next_op = 0;
}

// What stands for tensor k in the segment: its bytes, or with kFlagRecipes a recipe, of which open saw that it means something.
const uint8_t* stored(const Program& p, const fb::Golden& g, uint32_t k) {
  return p.blob + p.segments[g.segment()].offset() + g.offsets()->Get(k);
}

// Null where whole tensors are stored.
const Recipe* recipe(const Program& p, const uint8_t* at) {
  return (p.root->flags() & kFlagRecipes) == 0 ? nullptr : static_cast<const Recipe*>(static_cast<const void*>(at));
}

const uint8_t* first_lent(const ContextState& s, const Program& p) {
  const Slot* slot = s.slots;
  while (slot != s.slots + p.slots && !slot->lent) ++slot;
  return slot->base;
}

// Inputs straight from the blob or made in the memory that the plan keeps, outputs into the room.
bool bind_golden(ContextState* s, const Program& p, const fb::Golden& g, const GoldenLoan& loan) {
  uint8_t* next = s->golden;  // the plan added up the same, of larger dims
  for (uint32_t k = 0; k < p.inputs.size + p.outputs.size; ++k) {
    Operand tensor;
    size_t bytes;
    if (!resolve_port(p, k, s->exprs, &tensor) || !operand_bytes(tensor, &bytes)) return false;
    const bool input = k < p.inputs.size;
    Binding* binding = input ? &s->inputs[k] : &s->outputs[k - p.inputs.size];
    const uint8_t* data = stored(p, g, k);
    const Recipe* r = recipe(p, data);
    const bool made = r != nullptr && r->kind == static_cast<uint32_t>(RecipeKind::kMade);
    const bool lent = k == loan.input && bytes <= loan.bytes;
    if (made && lent) {
      data = first_lent(*s, p);
    } else if (made || !input) {
      data = next;
      next += Bytes(bytes).aligned().value();
    } else if (r != nullptr) {
      data += sizeof *r;
    }
    uint8_t* memory = const_cast<uint8_t*>(data);  // the context's own, on purpose
    if (made) make_input(*r, tensor.dtype, bytes, memory);
    *binding = Binding{memory, bytes, tensor.dtype, tensor.rank, Binding::kOwn, {}};
    memcpy(binding->shape, tensor.dims, sizeof binding->shape);
  }
  return true;
}

// Apart from replay, so that its frame is gone before the ops run.
__attribute__((noinline)) ert_status prepare_golden(ContextState* s, const Program& p, const fb::Golden& g) {
  if (!golden_within(p, g, s->max_dims)) return ERT_ERR_DIMS;
  if (!evaluate_exprs(p, s->max_dims, s->exprs)) return ERT_ERR_SELFTEST;
  const GoldenLoan loan = golden_loan(p, s->exprs);
  return evaluate_golden(p, g, s->exprs) && bind_golden(s, p, g, loan) ? ERT_OK : ERT_ERR_SELFTEST;
}

bool output_is_golden(const Program& p, const fb::Golden& g, uint32_t k, const Binding& b) {
  const uint8_t* want = stored(p, g, k);
  size_t bytes = b.bytes;
  if (const Recipe* r = recipe(p, want)) {
    if (b.dtype == ERT_F32) canonical_nan(b.data, bytes);
    if (crc32c(0, b.data, bytes) != r->crc) return false;
    want += sizeof *r;
    bytes = r->bytes;
  }
  return memcmp(b.data, want, bytes) == 0;
}

ert_status replay(ContextState* s, const Program& p, const fb::Golden& g) {
  ert_status status = prepare_golden(s, p, g);
  if (status != ERT_OK) return status;
  s->prepared = 0;
  status = begin_run(s, p);
  if (status == ERT_OK) status = run_all(s, p);
  if (status != ERT_OK) return status == ERT_ERR_DIMS ? status : ERT_ERR_SELFTEST;
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    if (!output_is_golden(p, g, p.inputs.size + i, s->outputs[i])) return ERT_ERR_SELFTEST;
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
  for (uint32_t i = 0; i < n && status == ERT_OK; ++i) status = replay(&s, p, *p.root->golden()->Get(i));
  clear_bindings(&s, p);
  bind_states(&s, p, false);
  return status;
}
