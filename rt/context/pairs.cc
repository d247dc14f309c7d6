// Finds neighbours of Linears; every condition that makes the result the same is here.
#include "rt/context/pairs.h"

namespace ert {
namespace {

namespace linear = params::linear;
namespace ln = params::layernorm;

bool is(const fb::Op& op, params::OpCode code) { return op.code() == static_cast<uint16_t>(code); }

int32_t result_of(const Program& p, uint32_t index) { return operand_of(p, p.ops[index], p.ops[index].n_inputs()); }

// Operand k of op `index`, or -1.
int32_t operand(const Program& p, uint32_t index, uint32_t k) {
  return k < p.ops[index].n_inputs() ? operand_of(p, p.ops[index], k) : -1;
}

bool is_constant_or_absent(const Program& p, int32_t v) {
  return v < 0 || storage_of(p.values[static_cast<uint32_t>(v)]) == Storage::kConstant;
}

// Is `index` a Linear whose result nobody reads but the int8 Linear behind it, as its x?
bool hands_over(const Program& p, uint32_t index) {
  if (index + 1 >= p.ops.size || !is(p.ops[index], params::OpCode::kLinear) || !is(p.ops[index + 1], params::OpCode::kLinear))
    return false;
  const fb::Op& next = p.ops[index + 1];
  const int32_t result = result_of(p, index);
  if (operand_of(p, next, linear::kX) != result || p.ints[next.first_int() + linear::kPrecision] != linear::kInt8) return false;
  // A level without a kernel for another layout leaves both steps of such a Linear to the reference, whose rows look different.
  if (p.values[static_cast<uint32_t>(operand_of(p, next, linear::kWeights))].dtype() != params::kPackedN16K4) return false;
  for (uint32_t k = linear::kX + 1; k < next.n_inputs(); ++k) {
    if (!is_constant_or_absent(p, operand_of(p, next, k))) return false;
  }
  const fb::Value& value = p.values[static_cast<uint32_t>(result)];
  return storage_of(value) == Storage::kArena && value.last_op() == index + 1;
}

// A slot is a block of its own; what a caller binds to an output overlaps neither slots nor anything else that is bound (input_check.cc).
bool share_memory(const Program& p, int32_t a, int32_t b) {
  const uint32_t x = root_value(p, static_cast<uint32_t>(a)), y = root_value(p, static_cast<uint32_t>(b));
  const bool slots = storage_of(p.values[x]) == Storage::kArena && storage_of(p.values[y]) == Storage::kArena;
  return slots ? p.values[x].index() == p.values[y].index() : x == y;
}

// Other rows of the Linear are still to be computed when the first rows of the norm are written.
bool writes_what_linear_reads(const Program& p, uint32_t norm) {
  const fb::Op &linear_op = p.ops[norm - 1], &norm_op = p.ops[norm];
  for (uint32_t out = 0; out < norm_op.n_outputs(); ++out) {
    const int32_t written = operand_of(p, norm_op, norm_op.n_inputs() + out);
    if (written < 0) continue;
    for (uint32_t k = 0; k < linear_op.n_inputs(); ++k) {
      const int32_t read = operand_of(p, linear_op, k);
      if (read >= 0 && share_memory(p, written, read)) return true;
    }
  }
  return false;
}

// Is op `index` a Linear with a LayerNorm of its result behind it that may run on its rows as they are done?
bool norm_follows(const Program& p, uint32_t index) {
  if (index + 1 >= p.ops.size || !is(p.ops[index], params::OpCode::kLinear) || !is(p.ops[index + 1], params::OpCode::kLayerNorm))
    return false;
  const int32_t result = result_of(p, index);
  if (operand(p, index + 1, ln::kX) != result && operand(p, index + 1, ln::kResidual) != result) return false;
  return is_constant_or_absent(p, operand(p, index + 1, ln::kGamma)) &&
         is_constant_or_absent(p, operand(p, index + 1, ln::kBeta)) && !writes_what_linear_reads(p, index + 1);
}

}  // namespace

void find_pairs(ContextState* s, const Program& p) {
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    if (hands_over(p, i)) {
      s->values[result_of(p, i)].pairs |= kHandsOver;
      s->values[result_of(p, i + 1)].pairs |= kTakesOver;
    }
    if (s->cfg.threads >= 2 && norm_follows(p, i)) s->values[result_of(p, i)].pairs |= kNormBehind;
  }
}

void find_pair(const ContextState& s, const Program& p, uint32_t index, uint8_t pairs, LinearPair* pair) {
  if ((pairs & kHandsOver) != 0) {
    pair->hands_over = true;
    const int32_t smooth = operand(p, index + 1, linear::kInvSmooth);
    if (smooth >= 0) pair->inv_smooth = s.values[smooth].as<float>();
  }
  if ((pairs & kTakesOver) != 0) {
    const Operand& x = s.values[operand_of(p, p.ops[index - 1], linear::kX)];
    pair->producer_depth = x.dims[x.rank - 1];
  }
}

ops::RowNorm norm_behind(const ContextState& s, const Program& p, uint32_t index) {
  return ops::row_norm_of(gather_operands(s, p, index + 1));
}

}  // namespace ert
