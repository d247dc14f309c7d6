// Brings a context to new dims: size expressions, shapes, capacity of slots, and every op's own checks.
#include <string.h>

#include "rt/context/context.h"
#include "rt/sizes/dims.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

// Integer inputs and outputs are read and written in the width that the caller bound.
uint8_t bound_dtype(const fb::Value& v, const Binding& b) {
  const bool either_width = v.dtype() == ERT_I32 || v.dtype() == ERT_I64;
  return either_width && b.data != nullptr ? static_cast<uint8_t>(b.dtype) : v.dtype();
}

bool shape_value(ContextState* s, const Program& p, uint32_t v) {
  const void* address = s->values[v].data;
  const uint8_t pairs = s->values[v].pairs;
  Operand o;
  size_t bytes;
  if (!resolve_operand(p, v, s->exprs, &o)) return false;
  if (!o.constant) o.data = address;
  o.pairs = pairs;
  const fb::Value& value = p.values[v];
  if (storage_of(value) == Storage::kInput) o.dtype = bound_dtype(value, s->inputs[value.index()]);
  if (storage_of(value) == Storage::kOutput) o.dtype = bound_dtype(value, s->outputs[value.index()]);
  if (!operand_bytes(o, &bytes)) return false;
  if (storage_of(value) == Storage::kArena && bytes > s->slots[value.index()].bytes) return false;
  s->values[v] = o;
  return true;
}

bool prepare_op(const ContextState& s, const Program& p, uint32_t op) {
  OpContext c = gather_operands(s, p, op);
  for (uint32_t k = 0; k < c.n_inputs + c.n_outputs; ++k) {
    if (!s.operands[k].constant) s.operands[k].data = nullptr;
  }
  c.parallel.threads = s.cfg.threads;
  c.scratch_stride = s.scratch_stride;
  size_t scratch = 0;
  return find_op(p.ops[op].code())->prepare(c, &scratch) && scratch <= s.scratch_stride;
}

}  // namespace

OpContext gather_operands(const ContextState& s, const Program& p, uint32_t index) {
  const fb::Op& op = p.ops[index];
  for (uint32_t k = 0; k < operand_count(op); ++k) {
    const int32_t v = operand_of(p, op, k);
    if (v < 0)
      s.operands[k] = Operand{};
    else
      s.operands[k] = s.values[v];
  }
  OpContext c = op_context(p, op, s.operands, s.exprs);
  c.rows.starts = s.row_starts;
  const int32_t custom = custom_index_of(p, op);
  if (custom >= 0) {
    c.custom = s.customs[custom].op;
    c.custom_attributes = s.customs[custom].attributes;
    c.n_custom_attributes = s.customs[custom].n_attributes;
  }
  return c;
}

ert_status evaluate_dims(ContextState* s, const Program& p, const int32_t* dims, int32_t rows) {
  s->prepared = 0;
  if (!evaluate_exprs(p, dims, s->exprs, rows)) return ERT_ERR_DIMS;
  for (uint32_t v = 0; v < p.values.size; ++v) {
    if (!shape_value(s, p, v)) return ERT_ERR_DIMS;
  }
  if (!sharing_is_exact(p, s->exprs)) return ERT_ERR_DIMS;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    if (!prepare_op(*s, p, i)) return ERT_ERR_DIMS;
  }
  memcpy(s->dims, dims, p.dims.size * sizeof(int32_t));
  s->rows = rows;
  s->prepared = 1;
  return ERT_OK;
}

ert_status evaluate_if_new(ContextState* s, const Program& p, const int32_t* dims, int32_t rows) {
  if (s->prepared != 0 && rows == s->rows && memcmp(dims, s->dims, p.dims.size * sizeof(int32_t)) == 0) return ERT_OK;
  s->next_op = 0;
  return evaluate_dims(s, p, dims, rows);
}

}  // namespace ert
