// Goes back through the program: producers stand before readers.
#include "convert/run/choosing_op.h"

#include "rt/loading/model.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

bool is_constant(const ert::Program& p, int32_t v) {
  return v >= 0 && ert::storage_of(p.values[ert::root_value(p, static_cast<uint32_t>(v))]) == ert::Storage::kConstant;
}

// The operand that an op moves or casts, -1 where it computes.
int32_t moved_operand(const ert::Program& p, const ert::fb::Op& op) {
  const int32_t first = ert::operand_of(p, op, 0);
  switch (static_cast<OpCode>(op.code())) {
    case OpCode::kExportInt:
    case OpCode::kCopy:
    case OpCode::kCast:
    case OpCode::kTranspose:
    case OpCode::kSlice:
    case OpCode::kExpand:
    case OpCode::kUnpackRows: return first;
    case OpCode::kGather: return is_constant(p, first) ? ert::operand_of(p, op, 1) : first;
    default: return -1;
  }
}

}  // namespace

std::optional<uint32_t> choosing_op(const ert_model& m, uint32_t output) {
  const ert::ModelState& s = *ert::model_state(&m);
  const ert::Program p = ert::program_view(s.blob, s.root);
  uint32_t wanted = ert::root_value(p, p.outputs[output]);
  for (uint32_t i = p.ops.size; i-- > 0;) {
    const ert::fb::Op& op = p.ops[i];
    for (uint32_t k = 0; k < op.n_outputs(); ++k) {
      const int32_t made = ert::operand_of(p, op, op.n_inputs() + k);
      if (made < 0 || ert::root_value(p, static_cast<uint32_t>(made)) != wanted) continue;
      const auto code = static_cast<OpCode>(op.code());
      if (code == OpCode::kArgMinMax || (code == OpCode::kTopK && k == 1)) return i;
      const int32_t from = op.n_inputs() > 0 ? moved_operand(p, op) : -1;
      if (from < 0) return {};
      wanted = ert::root_value(p, static_cast<uint32_t>(from));
      break;
    }
  }
  return {};
}

}  // namespace edgeconv
