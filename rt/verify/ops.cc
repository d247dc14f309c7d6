// Ops: operands in range, every value written exactly once and before it is read, nobody writes inputs or constants.
#include "rt/ops/op_params.h"
#include "rt/ops/row_bands.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

bool is_code(const fb::Op& op, params::OpCode code) { return op.code() == static_cast<uint16_t>(code); }

bool integer_like(uint32_t dtype) { return dtype != ERT_F32; }
bool wide_or_narrow_int(uint32_t dtype) { return dtype == ERT_I32 || dtype == ERT_I64; }

// What is left of a pool. The lists of all ops together are no longer than the pool that they are in: were ops free to share one long
// list, the work of preparing them would not be linear in the blob.
struct Pool {
  uint32_t size, left;
  explicit Pool(uint32_t n) : size(n), left(n) {}
  bool take(uint32_t first, uint32_t n) {
    if (first > size || n > size - first || n > left) return false;
    left -= n;
    return true;
  }
};

struct Pools {
  Pool operands, ints, floats;
  bool take(const fb::Op& op) {
    const uint32_t n = operand_count(op);
    return op.n_outputs() >= 1 && n <= kMaxOperands && operands.take(op.first_operand(), n) &&
           ints.take(op.first_int(), op.n_ints()) && floats.take(op.first_float(), op.n_floats());
  }
};

// Integer inputs come in the width that the caller binds, so only ImportInt and ImportFloat may look at them, and never through an alias.
bool verify_read(const Program& p, const fb::Op& op, uint32_t index, uint32_t v) {
  const uint32_t r = root_value(p, v);
  const fb::Value& root = p.values[r];
  switch (storage_of(root)) {
    case Storage::kArena: return root.first_op() < index && index <= root.last_op();
    case Storage::kOutput: return root.first_op() < index && !wide_or_narrow_int(root.dtype());  // its width is the caller's too
    case Storage::kInput: return !integer_like(root.dtype()) || (v == r && (is_code(op, params::OpCode::kImportInt) || is_code(op, params::OpCode::kImportFloat)));
    default: return true;  // a constant: an alias leads to something else, and verify_values knows no other storage
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

// Counts the values that the op writes.
bool verify_operands(const Program& p, uint32_t index, uint32_t* written) {
  const fb::Op& op = p.ops[index];
  for (uint32_t k = 0; k < operand_count(op); ++k) {
    const int32_t v = operand_of(p, op, k);
    const bool output = k >= op.n_inputs();
    if (v == -1 && k != op.n_inputs()) continue;  // any operand but the first output may be absent
    if (v < 0 || static_cast<uint32_t>(v) >= p.values.size) return false;
    if (!(output ? verify_write(p, op, index, static_cast<uint32_t>(v)) : verify_read(p, op, index, static_cast<uint32_t>(v))))
      return false;
    if (!output) continue;
    const uint32_t root = root_value(p, static_cast<uint32_t>(v));
    for (uint32_t other = op.n_inputs(); other < k; ++other) {
      const int32_t o = operand_of(p, op, other);
      if (o >= 0 && root_value(p, static_cast<uint32_t>(o)) == root) return false;
    }
    ++*written;
  }
  return true;
}

// What stands in a RowBands otherwise is for its prepare to judge.
bool inner_ops_linked(const Program& p, const fb::Op& op) {
  ops::InnerOps inner(p.ints.data + op.first_int(), op.n_ints());
  ops::InnerOp i;
  while (inner.next(&i)) {
    if (find_op(i.code) == nullptr) return false;
  }
  return true;
}

}  // namespace

ert_status verify_ops(const Program& p) {
  const auto* names = p.root->op_names();
  if (names != nullptr && names->size() != 0 && names->size() != p.ops.size) return ERT_ERR_MODEL;
  const uint32_t customs = p.root->custom_ops() == nullptr ? 0 : p.root->custom_ops()->size();
  Pools pools{Pool(p.operands.size), Pool(p.ints.size), Pool(p.floats.size)};
  uint32_t written = 0, writable = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const fb::Op& op = p.ops[i];
    if (find_op(op.code()) == nullptr) return ERT_ERR_UNSUPPORTED;
    if (!pools.take(op) || !verify_operands(p, i, &written)) return ERT_ERR_MODEL;
    if (is_code(op, params::OpCode::kRowBands) && !inner_ops_linked(p, op)) return ERT_ERR_UNSUPPORTED;
    if (is_code(op, params::OpCode::kCustom)) {
      if (op.n_ints() != params::custom::kIntCount) return ERT_ERR_MODEL;
      const int32_t custom = p.ints[op.first_int() + params::custom::kIndex];
      if (custom < 0 || static_cast<uint32_t>(custom) >= customs) return ERT_ERR_MODEL;
    }
  }
  for (uint32_t v = 0; v < p.values.size; ++v) {
    const Storage s = storage_of(p.values[v]);
    writable += s == Storage::kArena || s == Storage::kOutput;
  }
  // No value is written by two ops, or twice by one, so that as many as there are means each of them.
  return written == writable ? ERT_OK : ERT_ERR_MODEL;
}

}  // namespace ert
