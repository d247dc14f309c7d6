// Prepares ops without a context: see prepare.h.
#include "rt/sizes/prepare.h"

#include "rt/base/bytes.h"
#include "rt/sizes/dims.h"
#include "rt/ops/op_params.h"

namespace ert {

RowMap row_map(const Program& p, const int64_t* exprs) {
  RowMap rows;
  if (p.packing.size == 0) return rows;
  const fb::Packing& packing = p.packing[0];
  const auto& mask = *p.values[p.inputs[packing.mask()]].shape();
  rows.batch = static_cast<int32_t>(exprs[mask.Get(0)]);
  rows.sequence = static_cast<int32_t>(exprs[mask.Get(1)]);
  rows.total = static_cast<int32_t>(exprs[packing.rows()]);
  return rows;
}

OpContext op_context(const Program& p, const fb::Op& op, Operand* operands, const int64_t* exprs) {
  OpContext c;
  c.n_inputs = op.n_inputs();
  c.n_outputs = op.n_outputs();
  c.inputs = operands;
  c.outputs = operands + op.n_inputs();
  c.n_ints = op.n_ints();
  c.n_floats = op.n_floats();
  c.ints = p.ints.data + op.first_int();
  c.floats = p.floats.data + op.first_float();
  c.inner = operands + operand_count(op);
  c.exprs = exprs;
  c.n_exprs = p.exprs.size;
  c.rows = row_map(p, exprs);
  return c;
}

int32_t custom_index_of(const Program& p, const fb::Op& op) {
  if (op.code() != static_cast<uint16_t>(params::OpCode::kCustom)) return -1;
  return p.ints[op.first_int() + params::custom::kIndex];
}

namespace {

bool same_name(const char* a, const char* b) {
  while (*a == *b && *a != '\0') ++a, ++b;
  return *a == *b;
}

}  // namespace

const ert_custom_op* find_custom_op(const Program& p, uint32_t custom_index, const ert_config& cfg) {
  const char* name = p.root->custom_ops()->Get(custom_index)->name()->c_str();
  for (uint32_t i = 0; i < cfg.custom_op_count; ++i) {
    const ert_custom_op& op = cfg.custom_ops[i];
    if (op.name != nullptr && op.run != nullptr && same_name(op.name, name)) return &op;
  }
  return nullptr;
}

const OpDef* resolve_op(const Program& p, uint32_t i, EvalScratch* scratch, OpContext* c) {
  const fb::Op& op = p.ops[i];
  for (uint32_t k = 0; k < operand_count(op); ++k) {
    const int32_t v = operand_of(p, op, k);
    scratch->operands[k] = Operand{};
    if (v >= 0 && !resolve_operand(p, static_cast<uint32_t>(v), scratch->exprs, &scratch->operands[k])) return nullptr;
  }
  *c = op_context(p, op, scratch->operands, scratch->exprs);
  return find_op(op.code());
}

bool prepare_all(const Program& p, const ert_config* cfg, EvalScratch* scratch, size_t* scratch_per_thread) {
  size_t most = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    OpContext c;
    const OpDef* def = resolve_op(p, i, scratch, &c);
    if (def == nullptr) return false;
    const int32_t custom = custom_index_of(p, p.ops[i]);
    if (cfg != nullptr) c.parallel.threads = cfg->threads;
    if (custom >= 0 && cfg != nullptr) c.custom = find_custom_op(p, static_cast<uint32_t>(custom), *cfg);
    size_t bytes = 0;
    if (!def->prepare(c, &bytes) || bytes > kMaxScratch) return false;
    if (bytes > most) most = bytes;
  }
  *scratch_per_thread = Bytes(most).aligned().value();
  return true;
}

}  // namespace ert
