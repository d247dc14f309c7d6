// RowFlow, outside: what ops that are not packed read of padded positions, and give there.
#include <algorithm>
#include <limits>

#include "convert/program/row_flow.h"

namespace edgeconv {

using ert::params::OpCode;
namespace red = ert::params::reduce;

// What operand i of an elementwise op is at padded positions, for rows on these axes of the output.
Interval RowFlow::where_padded(const TargetOp& op, size_t i, int batch, int sequence) const {
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  if (op.inputs[i] < 0 || state(op.inputs[i]).reach != RowState::kSame) return {-kEnd, kEnd};
  const PaddingFact f = facts_.of(op.inputs[i]);
  const int shift = static_cast<int>(shape(op.outputs[0]).size()) - static_cast<int>(shape(op.inputs[i]).size());
  const bool speaks =
      f.key_axis >= 0 && f.key_axis + shift == sequence && (f.batch_axis < 0 ? is_one(batch_) : f.batch_axis + shift == batch);
  return speaks ? f.padded : Interval{-kEnd, kEnd};
}

// x * mask
bool RowFlow::multiplies_by_zero(const TargetOp& op, int batch, int sequence) const {
  return op.code == OpCode::kBinary && op.ints[ert::params::binary::kKind] == ert::params::binary::kMul &&
         (where_padded(op, 0, batch, sequence).is(0) || where_padded(op, 1, batch, sequence).is(0));
}

// A selection that takes nothing from the rows where there is padding.
bool RowFlow::selects_other_side(const TargetOp& op, int batch, int sequence) const {
  if (op.code != OpCode::kWhere) return false;
  const Interval c = where_padded(op, 0, batch, sequence);
  return (c.is(1) && state(op.inputs[1]).reach == RowState::kSame) || (c.is(0) && state(op.inputs[2]).reach == RowState::kSame);
}

RowState RowFlow::elementwise(const TargetOp& op) {
  const int rank = static_cast<int>(shape(op.outputs[0]).size());
  const auto shifted = [&](size_t i) {
    RowState s = state(op.inputs[i]);
    const int shift = rank - static_cast<int>(shape(op.inputs[i]).size());
    s.batch += shift;
    s.sequence += shift;
    return s;
  };
  RowState out;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const RowState s = shifted(i);
    if (s.reach == RowState::kSame) continue;
    if (s.reach == RowState::kLost || (out.reach == RowState::kRows && (s.batch != out.batch || s.sequence != out.sequence)))
      return RowState::lost();
    if (out.reach == RowState::kRows && s.origin >= 0 && out.origin >= 0) join(s.origin, out.origin);
    std::set<int> inputs = std::move(out.inputs);
    out = s;
    out.inputs.merge(inputs);
  }
  out.cleared = out.cleared && op.inputs.size() == 1 && op.code != OpCode::kUnary;
  out.zero = multiplies_by_zero(op, out.batch, out.sequence);
  if (selects_other_side(op, out.batch, out.sequence)) return RowState::same(out.origin);
  return out;
}

RowState RowFlow::reduced(const TargetOp& op) const {
  RowState s = state(op.inputs[0]);
  const int32_t mask = op.ints[red::kAxisMask], kind = op.ints[red::kKind];
  if (mask >> s.sequence & 1) {
    const bool sum = kind == red::kSum || kind == red::kMean || kind == red::kL1 || kind == red::kL2 || kind == red::kSumSquare;
    if (!s.zero || !sum || (mask >> s.batch & 1)) return RowState::lost();
    return RowState::same(s.origin);
  }
  if (mask >> s.batch & 1) return RowState::lost();
  if (shape(op.inputs[0]).size() != shape(op.outputs[0]).size())
    for (int* axis : {&s.batch, &s.sequence}) *axis -= __builtin_popcount(static_cast<unsigned>(mask) & ((1u << *axis) - 1));
  s.zero = s.zero && kind == red::kSum;
  s.cleared = false;
  return s;
}

// The first position is computed in every row that has a token.
RowState RowFlow::gathered(const TargetOp& op) const {
  RowState s = state(op.inputs[0]);
  const int axis = op.ints[ert::params::gather::kAxis];
  if (state(op.inputs[1]).reach != RowState::kSame) return RowState::lost();
  const int growth = static_cast<int>(shape(op.inputs[1]).size()) - 1;
  if (axis != s.sequence) {
    if (axis == s.batch) return RowState::lost();
    for (int* at : {&s.batch, &s.sequence})
      if (*at > axis) *at += growth;
    return s;
  }
  const PaddingFact index = facts_.of(op.inputs[1]);
  if (!index.padded.is(0) || !index.attended.is(0)) return RowState::lost();
  return {};
}

RowState RowFlow::sliced(const TargetOp& op) const {
  const RowState s = state(op.inputs[0]);
  const Shape &in = shape(op.inputs[0]), &out = shape(op.outputs[0]);
  const auto starts_at_zero = [&](int axis) { return starts_at_first(op, static_cast<size_t>(axis)); };
  const auto whole = [&](int axis) {
    return in[static_cast<size_t>(axis)] == out[static_cast<size_t>(axis)] && starts_at_zero(axis);
  };
  if (!whole(s.batch)) return RowState::lost();
  if (whole(s.sequence)) return s;
  if (!is_one(out[static_cast<size_t>(s.sequence)]) || !starts_at_zero(s.sequence)) return RowState::lost();
  return {};
}

RowState RowFlow::transposed(const TargetOp& op) const {
  RowState s = state(op.inputs[0]);
  for (int* axis : {&s.batch, &s.sequence})
    *axis = static_cast<int>(std::find(op.ints.begin(), op.ints.end(), *axis) - op.ints.begin());
  return s;
}

RowState RowFlow::outside(const TargetOp& op) {
  bool reads_rows = false;
  for (int v : op.inputs) {
    if (state(v).reach == RowState::kLost) return RowState::lost();
    reads_rows |= state(v).reach == RowState::kRows;
  }
  if (!reads_rows) return {};
  const bool first_only =
      op.inputs[0] >= 0 && state(op.inputs[0]).reach == RowState::kRows &&
      std::all_of(op.inputs.begin() + 1, op.inputs.end(), [&](int v) { return state(v).reach == RowState::kSame; });
  const RowState x = state(op.inputs[0]);
  const int last = static_cast<int>(shape(op.inputs[0] < 0 ? op.outputs[0] : op.inputs[0]).size()) - 1;
  switch (op.code) {
    case OpCode::kUnary:
    case OpCode::kBinary:
    case OpCode::kWhere:
    case OpCode::kCast:
    case OpCode::kCopy:
    case OpCode::kExportInt: return elementwise(op);
    case OpCode::kTranspose: return transposed(op);
    case OpCode::kReduce: return reduced(op);
    case OpCode::kSlice: return sliced(op);
    case OpCode::kGather: return first_only ? gathered(op) : RowState::lost();
    case OpCode::kL2Normalize:
    case OpCode::kSoftmax: {
      const int axis = op.code == OpCode::kSoftmax ? op.ints[ert::params::softmax::kAxis] : last;
      RowState s = x;
      s.zero = s.cleared = false;
      return axis == x.batch || axis == x.sequence ? RowState::lost() : s;
    }
    case OpCode::kMeanPool: {
      const PaddingFact w = facts_.operand(op, 1);  // absent: nothing is known
      const bool zero_weights = w.padded.is(0) && w.key_axis == 1 && (w.batch_axis == 0 || (w.batch_axis < 0 && is_one(batch_)));
      if (!first_only || x.batch != 0 || x.sequence != 1 || op.inputs.size() < 2 || !zero_weights) return RowState::lost();
      return RowState::same(x.origin);
    }
    default: return RowState::lost();
  }
}

}  // namespace edgeconv
