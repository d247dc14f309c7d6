// One walk in program order decides for every op whether it is packed and what its outputs hold at padded positions.
#include "convert/plan/row_flow.h"

#include <algorithm>
#include <limits>

#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace att = ert::params::attention;
namespace red = ert::params::reduce;

namespace {

// A score this far below the others of its row has weight 0 whatever the model computes: attention drops scores more than 87
// below the largest, and scores of trained models stay below some hundreds. Fills in use are -10000 and lower.
constexpr double kMaskedDistance = 5000;

bool is_one(const DimExpr& d) { return d == DimExpr(1); }

bool is_zero_row(const ExprTable& exprs, int32_t index) {
  const ExprRow& r = exprs.rows()[static_cast<size_t>(index)];
  return r.kind == 0 && r.value == 0;
}

}  // namespace

RowFlow::RowFlow(const TargetProgram& p, int input, int padding)
    : p_(p),
      facts_(p, input, padding),
      packed_(p.ops.size()),
      excluded_(p.ops.size()),
      states_(p.values.size()),
      part_(p.ops.size()) {
  const Shape& mask = shape(p.inputs[static_cast<size_t>(input)].value);
  batch_ = mask[0];
  sequence_ = mask[1];
  // Parts that the mask says nothing about (a second text without a mask of its own) are left out, and the rest looked at anew.
  while (walk()) {
  }
  proved_ = std::count(packed_.begin(), packed_.end(), 1) != 0 && outputs_kept();
}

RowState RowFlow::through_view(RowState s, const Shape& from, const Shape& to) const {
  if (s.reach != RowState::kRows) return s;
  const bool one_batch = is_one(batch_);
  const int batch = one_batch ? 0 : axis_in_view(from, to, s.batch), sequence = axis_in_view(from, to, s.sequence);
  if (sequence < 0 || batch < 0 || (one_batch && (sequence == 0 || !is_one(to[0])))) return RowState::lost();
  s.batch = batch;
  s.sequence = sequence;
  return s;
}

RowState RowFlow::state(int v) const {
  if (v < 0) return {};
  const int root = p_.root(v);
  return through_view(states_[static_cast<size_t>(root)], shape(root), shape(v));
}

int RowFlow::part_of(int op) const {
  while (part_[static_cast<size_t>(op)] != op) op = part_[static_cast<size_t>(op)];
  return op;
}
void RowFlow::join(int a, int b) { part_[static_cast<size_t>(part_of(a))] = part_of(b); }

void RowFlow::anchor(const RowState& s) {
  if (s.origin >= 0) anchored_.insert(s.origin);
}

// ---- inside

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
    case OpCode::kSlice:
      return same_rows(0) && is_zero_row(p_.exprs, op.ints[0]) && op.ints[1] == 1 && is_zero_row(p_.exprs, op.ints[2]) &&
             op.ints[3] == 1;
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

// ---- outside

// What operand i of an elementwise op is at padded positions, for rows on these axes of the output.
Interval RowFlow::where_padded(const TargetOp& op, size_t i, int batch, int sequence) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (op.inputs[i] < 0 || state(op.inputs[i]).reach != RowState::kSame) return {-kInfinity, kInfinity};
  const PaddingFact f = facts_.of(op.inputs[i]);
  const int shift = static_cast<int>(shape(op.outputs[0]).size()) - static_cast<int>(shape(op.inputs[i]).size());
  const bool speaks =
      f.key_axis >= 0 && f.key_axis + shift == sequence && (f.batch_axis < 0 ? is_one(batch_) : f.batch_axis + shift == batch);
  return speaks ? f.padded : Interval{-kInfinity, kInfinity};
}

// x * mask
bool RowFlow::multiplies_by_zero(const TargetOp& op, int batch, int sequence) const {
  return op.code == OpCode::kBinary && op.ints[0] == ert::params::binary::kMul &&
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
  const auto starts_at_zero = [&](int axis) {
    return is_zero_row(p_.exprs, op.ints[static_cast<size_t>(2 * axis)]) && op.ints[static_cast<size_t>(2 * axis + 1)] == 1;
  };
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
      const PaddingFact w = op.inputs.size() < 2 ? PaddingFact{} : facts_.of(op.inputs[1]);
      const bool zero_weights = w.padded.is(0) && w.key_axis == 1 && (w.batch_axis == 0 || (w.batch_axis < 0 && is_one(batch_)));
      if (!first_only || x.batch != 0 || x.sequence != 1 || op.inputs.size() < 2 || !zero_weights) return RowState::lost();
      return RowState::same(x.origin);
    }
    default: return RowState::lost();
  }
}

// ---- the walk

// Returns true if parts were excluded and everything has to be looked at again.
bool RowFlow::walk() {
  std::fill(packed_.begin(), packed_.end(), 0);
  std::fill(states_.begin(), states_.end(), RowState{});
  for (size_t i = 0; i < part_.size(); ++i) part_[i] = static_cast<int>(i);
  anchored_.clear();
  for (size_t i = 0; i < p_.inputs.size(); ++i) states_[static_cast<size_t>(p_.inputs[i].value)].inputs = {static_cast<int>(i)};
  for (size_t i = 0; i < p_.ops.size(); ++i) {
    const TargetOp& op = p_.ops[i];
    if (can_pack(i)) {
      pack(i);
      continue;
    }
    RowState out = outside(op);
    if (out.reach == RowState::kSame) {
      anchor(out);
      out = {};
      // What the rows of a packed op come from is followed through whatever computes it.
      for (int v : op.inputs)
        if (v >= 0)
          out.inputs.insert(states_[static_cast<size_t>(p_.root(v))].inputs.begin(),
                            states_[static_cast<size_t>(p_.root(v))].inputs.end());
    }
    for (int v : op.outputs)
      if (v >= 0) states_[static_cast<size_t>(p_.root(v))] = out;
  }
  std::set<int> spoken_of;
  for (int op : anchored_) spoken_of.insert(part_of(op));
  bool again = false;
  for (size_t i = 0; i < packed_.size(); ++i)
    if (packed_[i] && !spoken_of.count(part_of(static_cast<int>(i)))) {
      excluded_[i] = 1;
      again = true;
    }
  return again;
}

bool RowFlow::outputs_kept() const {
  for (const TargetOutput& o : p_.outputs) {
    const RowState s = state(o.value);
    if (s.reach == RowState::kLost) return false;
    if (s.reach == RowState::kRows && (s.batch != 0 || s.sequence != 1 || !s.cleared)) return false;
  }
  return true;
}

}  // namespace edgeconv
