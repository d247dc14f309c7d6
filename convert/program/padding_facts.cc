// Interval arithmetic in double; bounds that are off by a rounding do not matter to anybody who asks (a mask's fill is orders of
// magnitude away from a score), and zeros and ones stay exact.
#include "convert/program/padding_facts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace bin = ert::params::binary;
namespace un = ert::params::unary;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Interval kAny{-kInfinity, kInfinity}, kFalse{0, 0}, kTrue{1, 1}, kEither{0, 1};
constexpr int64_t kMostElements = 1 << 16;  // of a constant worth looking at

Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Interval checked(double lo, double hi) { return std::isnan(lo) || std::isnan(hi) ? kAny : Interval{lo, hi}; }
Interval truth(bool always, bool never) { return always ? kTrue : never ? kFalse : kEither; }
Interval truth_of(Interval a) { return truth(a.lo > 0 || a.hi < 0, a.is(0)); }

Interval product(Interval a, Interval b) {
  if (a.is(0) || b.is(0)) return kFalse;  // of numbers: inputs and weights are finite
  const double p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  for (double x : p)
    if (std::isnan(x)) return kAny;
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Interval combined(int32_t kind, Interval a, Interval b) {
  switch (kind) {
    case bin::kAdd: return checked(a.lo + b.lo, a.hi + b.hi);
    case bin::kSub: return checked(a.lo - b.hi, a.hi - b.lo);
    case bin::kMul: return product(a, b);
    case bin::kMin: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case bin::kMax: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case bin::kEqual: return truth(a.lo == a.hi && b.is(a.lo), a.hi < b.lo || b.hi < a.lo);
    case bin::kLess: return truth(a.hi < b.lo, a.lo >= b.hi);
    case bin::kLessOrEqual: return truth(a.hi <= b.lo, a.lo > b.hi);
    case bin::kGreater: return truth(a.lo > b.hi, a.hi <= b.lo);
    case bin::kGreaterOrEqual: return truth(a.lo >= b.hi, a.hi < b.lo);
    case bin::kAnd: return truth(truth_of(a).is(1) && truth_of(b).is(1), a.is(0) || b.is(0));
    case bin::kOr: return truth(truth_of(a).is(1) || truth_of(b).is(1), a.is(0) && b.is(0));
    default: return kAny;
  }
}

Interval unary(int32_t kind, Interval a) {
  switch (kind) {
    case un::kNeg: return {-a.hi, -a.lo};
    case un::kNot: return truth(a.is(0), truth_of(a).is(1));
    default: return kAny;
  }
}

Interval select(Interval condition, Interval a, Interval b) {
  const Interval t = truth_of(condition);
  return t.is(1) ? a : t.is(0) ? b : hull(a, b);
}

Interval cast(uint8_t to, Interval a) {
  if (to == ERT_BOOL) return truth_of(a);
  return to == ERT_F32 ? a : checked(std::trunc(a.lo), std::trunc(a.hi));
}

PaddingFact forget_mask(const PaddingFact& f) {
  const Interval all = hull(f.padded, f.attended);
  return {all, all};
}

}  // namespace

int axis_in_view(const Shape& from, const Shape& to, int axis) {
  if (axis < 0 || from[static_cast<size_t>(axis)] == DimExpr(1)) return -1;
  const DimExpr size = from[static_cast<size_t>(axis)];
  const DimExpr before = shape_elements(Shape(from.begin(), from.begin() + axis));
  DimExpr seen = 1;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == size && seen == before) return static_cast<int>(i);
    seen = seen * to[i];
  }
  return -1;
}

PaddingFacts::PaddingFacts(const TargetProgram& p, int input, int padding)
    : p_(p), mask_value_(p.inputs[static_cast<size_t>(input)].value), padding_(padding) {
  for (const TargetOp& op : p.ops) visit(op);
}

PaddingFact PaddingFacts::constant(const TargetValue& v) const {
  const int64_t n = shape_elements(v.shape).constant().value_or(kMostElements + 1);
  if (n < 1 || n > kMostElements) return {kAny, kAny};
  Interval all{kInfinity, -kInfinity};
  for (int64_t i = 0; i < n; ++i) {
    double x = 0;
    const uint8_t* at = v.data.data() + static_cast<size_t>(i) * element_bytes(v.dtype);
    if (v.dtype == ERT_F32) {
      float f;
      std::memcpy(&f, at, 4);
      x = f;
    } else if (v.dtype == ERT_I32) {
      int32_t j;
      std::memcpy(&j, at, 4);
      x = j;
    } else if (v.dtype == ERT_BOOL) {
      x = *at != 0;
    } else {
      return {kAny, kAny};
    }
    if (std::isnan(x)) return {kAny, kAny};
    all = hull(all, {x, x});
  }
  return {all, all};
}

PaddingFact PaddingFacts::of(int value) const {
  const int root = p_.root(value);
  const TargetValue& r = p_.values[static_cast<size_t>(root)];
  if (r.storage == Storage::kConstant) return constant(r);
  const auto it = facts_.find(root);
  if (it == facts_.end()) return {kAny, kAny};
  PaddingFact f = it->second;
  if (root == value || f.key_axis < 0) return f;
  const Shape& shape = p_.values[static_cast<size_t>(value)].shape;
  const int key = axis_in_view(r.shape, shape, f.key_axis), batch = axis_in_view(r.shape, shape, f.batch_axis);
  if (key < 0 || (f.batch_axis >= 0 && batch < 0)) return forget_mask(f);
  return {f.padded, f.attended, batch, key};
}

PaddingFact PaddingFacts::operand(const TargetOp& op, size_t i) const {
  return i < op.inputs.size() && op.inputs[i] >= 0 ? of(op.inputs[i]) : PaddingFact{kAny, kAny};
}

// With axes counted as in the output, under numpy broadcasting.
PaddingFact PaddingFacts::aligned(const TargetOp& op, size_t i) const {
  PaddingFact f = operand(op, i);
  const int shift = static_cast<int>(p_.values[static_cast<size_t>(op.outputs[0])].shape.size()) -
                    static_cast<int>(p_.values[static_cast<size_t>(op.inputs[i])].shape.size());
  if (f.key_axis >= 0) f.key_axis += shift;
  if (f.batch_axis >= 0) f.batch_axis += shift;
  return f;
}

void PaddingFacts::elementwise(const TargetOp& op) {
  std::vector<PaddingFact> in;
  int batch = -1, key = -1;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    in.push_back(aligned(op, i));
    // Masks of queries and of keys meet: keys lie behind.
    if (in.back().key_axis > key) {
      key = in.back().key_axis;
      batch = in.back().batch_axis;
    }
  }
  for (PaddingFact& f : in)
    if (f.key_axis != key || f.batch_axis != batch) f = forget_mask(f);
  const auto apply = [&](Interval PaddingFact::*side) -> Interval {
    switch (op.code) {
      case OpCode::kUnary: return unary(op.ints[un::kKind], in[0].*side);
      case OpCode::kBinary: return combined(op.ints[bin::kKind], in[0].*side, in[1].*side);
      case OpCode::kWhere: return select(in[0].*side, in[1].*side, in[2].*side);
      case OpCode::kCast: return cast(p_.values[static_cast<size_t>(op.outputs[0])].dtype, in[0].*side);
      default: return in[0].*side;
    }
  };
  facts_[p_.root(op.outputs[0])] = {apply(&PaddingFact::padded), apply(&PaddingFact::attended), batch, key};
}

PaddingFact PaddingFacts::transposed(const TargetOp& op) const {
  PaddingFact f = operand(op, 0);
  const auto place = [&](int axis) {
    return axis < 0 ? -1 : static_cast<int>(std::find(op.ints.begin(), op.ints.end(), axis) - op.ints.begin());
  };
  return {f.padded, f.attended, place(f.batch_axis), place(f.key_axis)};
}

void PaddingFacts::visit(const TargetOp& op) {
  if (op.outputs.empty() || op.outputs[0] < 0 || p_.root(op.outputs[0]) != op.outputs[0]) return;
  const int out = op.outputs[0];
  switch (op.code) {
    case OpCode::kImportInt: {
      if (op.inputs[0] != mask_value_) return;
      const bool one_batch = p_.values[static_cast<size_t>(out)].shape[0] == DimExpr(1);
      const double padded = padding_, attended = 1 - padding_;
      facts_[out] = {{padded, padded}, {attended, attended}, one_batch ? -1 : 0, 1};
      return;
    }
    case OpCode::kUnary:
    case OpCode::kBinary:
    case OpCode::kWhere:
    case OpCode::kCast:
    case OpCode::kExpand: return elementwise(op);
    case OpCode::kTranspose: facts_[out] = transposed(op); return;
    case OpCode::kFill: {
      float f;
      std::memcpy(&f, &op.ints[ert::params::fill::kBits], 4);
      const uint8_t dtype = p_.values[static_cast<size_t>(out)].dtype;
      const double x = dtype == ERT_F32    ? f
                       : dtype == ERT_BOOL ? (op.ints[ert::params::fill::kBits] != 0)
                                           : op.ints[ert::params::fill::kBits];
      if (!std::isnan(x)) facts_[out] = {{x, x}, {x, x}};
      return;
    }
    // Whatever the ids are, an element of the table comes out (a table of relative positions, added to a mask).
    case OpCode::kEmbedding:
      if (p_.values[static_cast<size_t>(op.inputs[1])].dtype == ERT_F32) facts_[out] = forget_mask(operand(op, 1));
      return;
    default: return;
  }
}

}  // namespace edgeconv
