// RowFlow, inside: which ops can work on packed rows.
#include <algorithm>

#include "convert/program/row_flow.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace att = ert::params::attention;
namespace red = ert::params::reduce;

namespace {

// A score this far below the others of its row has weight 0 whatever the model computes: attention drops scores more than 87
// below the largest, and scores of trained models stay below some hundreds. Fills in use are -10000 and lower.
constexpr double kMaskedDistance = 5000;

}  // namespace

// Rows of a value that is whole outside: all axes there, or 1 to be repeated. One axis less is a batch of 1.
bool RowFlow::takes_rows(const TargetOp& op, size_t i) const {
  const Shape &s = shape(op.inputs[i]), &out = shape(op.outputs[0]);
  const RowState in = state(op.inputs[i]);
  if (in.reach == RowState::kRows) return in.batch == 0 && in.sequence == 1 && has_rows(s) && s.size() == out.size();
  if (in.reach == RowState::kLost) return false;
  if (s.size() + 2 <= out.size()) return true;
  if (s.size() + 1 == out.size()) return is_one(s[0]) || s[0] == sequence_;
  return s.size() == out.size() && (is_one(s[0]) || s[0] == batch_) && (is_one(s[1]) || s[1] == sequence_);
}

bool RowFlow::on_rows(const TargetOp& op, size_t i) const {
  if (op.inputs[i] < 0) return false;
  if (op.code == OpCode::kAttention) return i <= att::kV;
  if (op.code == OpCode::kLayerNorm) return i <= ert::params::layernorm::kResidual;
  if (op.code == OpCode::kRope || op.code == OpCode::kGlu) return true;
  if (op.code != OpCode::kBinary && op.code != OpCode::kWhere && op.code != OpCode::kConcat) return i == 0;
  const Shape &s = shape(op.inputs[i]), &out = shape(op.outputs[0]);
  if (s.size() + 2 <= out.size()) return false;
  return !is_one(s[0]) || (s.size() == out.size() && !is_one(s[1]));
}

// Row [b, s] of the output from rows [b, s] alone, with the same parameters for a batch of 1.
bool RowFlow::row_by_row(const TargetOp& op) const {
  const Shape& out = shape(op.outputs[0]);
  const auto same_rows = [&](size_t i) {
    return i >= op.inputs.size() || op.inputs[i] < 0 ||
           (has_rows(shape(op.inputs[i])) && state(op.inputs[i]).reach != RowState::kLost && takes_rows(op, i));
  };
  const auto constant = [&](size_t i) {
    return i >= op.inputs.size() || op.inputs[i] < 0 ||
           p_.values[static_cast<size_t>(p_.root(op.inputs[i]))].storage == Storage::kConstant;
  };
  const auto constants_from = [&](size_t first) {
    for (size_t i = first; i < op.inputs.size(); ++i)
      if (!constant(i)) return false;
    return true;
  };
  const auto rows_of_any_rank = [&](size_t i) {
    const RowState s = state(op.inputs[i]);
    return has_rows(shape(op.inputs[i])) &&
           (s.reach == RowState::kSame || (s.reach == RowState::kRows && s.batch == 0 && s.sequence == 1));
  };
  const auto angles = [&](size_t i) {
    const Shape& s = shape(op.inputs[i]);
    return s.size() == 3 && s[1] == sequence_ && takes_rows(op, i);
  };
  switch (op.code) {
    case OpCode::kUnary:
    case OpCode::kCast:
    case OpCode::kCopy: return same_rows(0) && shape(op.inputs[0]) == out;
    case OpCode::kBinary:
    case OpCode::kWhere:
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (!takes_rows(op, i)) return false;
      return true;
    case OpCode::kEmbedding: return rows_of_any_rank(0) && constants_from(1);
    case OpCode::kLinear: return out.size() >= 3 && same_rows(0) && constants_from(1);
    case OpCode::kLayerNorm: return out.size() >= 3 && same_rows(0) && same_rows(1) && constants_from(2);
    case OpCode::kGlu: return out.size() >= 3 && same_rows(0) && same_rows(1);
    // The angles belong to positions: each row takes its own with it.
    case OpCode::kRope: return same_rows(0) && angles(ert::params::rope::kCos) && angles(ert::params::rope::kSin);
    case OpCode::kL2Normalize: return out.size() >= 3 && same_rows(0);
    case OpCode::kSoftmax: return same_rows(0) && op.ints[ert::params::softmax::kAxis] >= 2;
    case OpCode::kReduce: return rows_of_any_rank(0) && (op.ints[red::kAxisMask] & 3) == 0;
    case OpCode::kArgMinMax: return rows_of_any_rank(0) && op.ints[ert::params::arg_min_max::kAxis] >= 2;
    case OpCode::kSlice: return same_rows(0) && starts_at_first(op, 0) && starts_at_first(op, 1);
    case OpCode::kTranspose: return rows_of_any_rank(0) && op.ints[0] == 0 && op.ints[1] == 1;
    case OpCode::kConcat: {
      bool all = op.ints[ert::params::concat::kAxis] >= 2;
      for (size_t i = 0; i < op.inputs.size(); ++i) all = all && same_rows(i);
      return all;
    }
    case OpCode::kAttention: return same_rows(att::kQ) && same_rows(att::kK) && same_rows(att::kV) && masked_attention(op);
    default: return false;
  }
}

// Self attention, and every padded key has weight 0 for every query that is computed.
bool RowFlow::masked_attention(const TargetOp& op) const {
  const std::set<int> inputs = state(op.inputs[att::kQ]).inputs;
  if (state(op.inputs[att::kK]).inputs != inputs || state(op.inputs[att::kV]).inputs != inputs) return false;
  const auto over_keys = [&](const PaddingFact& f) { return f.key_axis == 3 && (f.batch_axis == 0 || is_one(batch_)); };
  bool masked = false;
  for (const size_t i : {size_t{att::kBias}, size_t{att::kMask}}) {
    const int v = i < op.inputs.size() ? op.inputs[i] : -1;
    if (v < 0) continue;
    if (state(v).reach != RowState::kSame || shape(v).size() != 4) return false;
    const PaddingFact f = facts_.of(v);
    if (!over_keys(f)) continue;
    masked |= i == att::kMask ? f.padded.is(0) : f.padded.hi <= f.attended.lo - kMaskedDistance;
  }
  return masked;
}

bool RowFlow::can_pack(size_t index) const {
  const TargetOp& op = p_.ops[index];
  if (excluded_[index] || op.outputs.empty()) return false;
  for (int v : op.outputs)
    if (v >= 0 && (p_.root(v) != v || !has_rows(shape(v)))) return false;
  const bool starts = op.code == OpCode::kEmbedding || op.code == OpCode::kLinear;
  bool reads_rows = starts;
  for (int v : op.inputs) reads_rows |= state(v).reach == RowState::kRows;
  // A selection by the mask ends the rows: with packing, padded positions would be zeros instead of the other side.
  return reads_rows && !selects_other_side(op, 0, 1) && row_by_row(op);
}

void RowFlow::pack(size_t index) {
  const TargetOp& op = p_.ops[index];
  packed_[index] = 1;
  RowState out;
  out.reach = RowState::kRows;
  out.batch = 0;
  out.sequence = 1;
  out.cleared = true;
  out.origin = static_cast<int>(index);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const RowState in = state(op.inputs[i]);
    out.inputs.insert(in.inputs.begin(), in.inputs.end());
    if (in.origin >= 0) join(in.origin, out.origin);
  }
  out.zero = multiplies_by_zero(op, 0, 1);
  if (op.code == OpCode::kAttention) anchor(out);
  for (int v : op.outputs)
    if (v >= 0) states_[static_cast<size_t>(v)] = out;
}

}  // namespace edgeconv
