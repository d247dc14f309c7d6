// Ops: operands in range, every value written exactly once and before it is read, nobody writes inputs or constants.
#include "rt/op_params.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

bool is_code(const fb::Op& op, params::OpCode code) { return op.code() == static_cast<uint16_t>(code); }

bool integer_like(uint32_t dtype) { return dtype != ERT_F32; }
bool wide_or_narrow_int(uint32_t dtype) { return dtype == ERT_I32 || dtype == ERT_I64; }

bool verify_pools(const Program& p, const fb::Op& op) {
  const uint32_t operands = operand_count(op);
  return op.n_outputs() >= 1 && operands <= kMaxOperands && op.first_operand() <= p.operands.size &&
         operands <= p.operands.size - op.first_operand() && op.first_int() <= p.ints.size &&
         op.n_ints() <= p.ints.size - op.first_int() && op.first_float() <= p.floats.size &&
         op.n_floats() <= p.floats.size - op.first_float();
}

// Integer inputs come in the width that the caller binds, so only ImportInt may look at them, and never through an alias.
bool verify_read(const Program& p, const fb::Op& op, uint32_t index, uint32_t v) {
  const uint32_t r = root_value(p, v);
  const fb::Value& root = p.values[r];
  switch (storage_of(root)) {
    case Storage::kArena: return root.first_op() < index && index <= root.last_op();
    case Storage::kOutput: return root.first_op() < index && !wide_or_narrow_int(root.dtype());  // its width is the caller's too
    case Storage::kInput: return !integer_like(root.dtype()) || (v == r && is_code(op, params::OpCode::kImportInt));
    case Storage::kConstant: return true;
    default: return false;
  }
}

// first_op names the one op that may write a value: that makes writes unique without any bookkeeping.
bool verify_write(const Program& p, const fb::Op& op, uint32_t index, uint32_t v) {
  const uint32_t r = root_value(p, v);
  const fb::Value& root = p.values[r];
  if (storage_of(root) != Storage::kArena && storage_of(root) != Storage::kOutput) return false;
  if (storage_of(root) == Storage::kOutput && wide_or_narrow_int(root.dtype()) &&
      (v != r || !is_code(op, params::OpCode::kExportInt)))
    return false;
  return root.first_op() == index;
}

bool verify_operands(const Program& p, uint32_t index) {
  const fb::Op& op = p.ops[index];
  for (uint32_t k = 0; k < operand_count(op); ++k) {
    const int32_t v = operand_of(p, op, k);
    const bool output = k >= op.n_inputs();
    if (v == -1 && k != op.n_inputs()) continue;  // any operand but the first output may be absent
    if (v < 0 || static_cast<uint32_t>(v) >= p.values.size) return false;
    if (!(output ? verify_write(p, op, index, static_cast<uint32_t>(v)) : verify_read(p, op, index, static_cast<uint32_t>(v))))
      return false;
    for (uint32_t other = op.n_inputs(); output && other < k; ++other) {
      const int32_t o = operand_of(p, op, other);
      if (o >= 0 && root_value(p, static_cast<uint32_t>(o)) == root_value(p, static_cast<uint32_t>(v))) return false;
    }
  }
  return true;
}

// The op that first_op names does write the value.
bool is_written(const Program& p, uint32_t v) {
  const fb::Op& op = p.ops[p.values[v].first_op()];
  for (uint32_t k = op.n_inputs(); k < operand_count(op); ++k) {
    const int32_t o = operand_of(p, op, k);
    if (o >= 0 && root_value(p, static_cast<uint32_t>(o)) == v) return true;
  }
  return false;
}

}  // namespace

ert_status verify_ops(const Program& p) {
  const auto* names = p.root->op_names();
  if (names != nullptr && names->size() != 0 && names->size() != p.ops.size) return ERT_ERR_MODEL;
  const uint32_t customs = p.root->custom_ops() == nullptr ? 0 : p.root->custom_ops()->size();
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const fb::Op& op = p.ops[i];
    if (find_op(op.code()) == nullptr) return ERT_ERR_UNSUPPORTED;
    if (!verify_pools(p, op) || !verify_operands(p, i)) return ERT_ERR_MODEL;
    if (is_code(op, params::OpCode::kCustom)) {
      if (op.n_ints() != params::custom::kIntCount) return ERT_ERR_MODEL;
      const int32_t custom = p.ints[op.first_int() + params::custom::kIndex];
      if (custom < 0 || static_cast<uint32_t>(custom) >= customs) return ERT_ERR_MODEL;
    }
  }
  for (uint32_t v = 0; v < p.values.size; ++v) {
    const Storage s = storage_of(p.values[v]);
    if ((s == Storage::kArena || s == Storage::kOutput) && !is_written(p, v)) return ERT_ERR_MODEL;
  }
  return ERT_OK;
}

}  // namespace ert
