// Single elements of vectors of whole numbers of unknown length: pos[0] and pos[-1] of positions that are counted, sliced and joined, as models with pooled sequences
// (Funnel) compute the bounds of their relative positions. The element is followed back to the Range that it comes from. Newer exports count in floats.
#include <cmath>

#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int kMostSteps = 64;
constexpr float kMostWhole = 16777216.0f;  // below it floats hold every whole number

bool may_count(DType t) { return is_integer(t) || t == DType::kFloat || t == DType::kDouble; }

class ElementTrace {
 public:
  ElementTrace(const Graph& g, const LeastDims& least) : g_(g), least_(least) {}

  // Element i, in row-major order, of v; nothing where it does not follow from sizes.
  std::optional<DimExpr> at(ValueId v, const DimExpr& i);
  // Sizes that must not be zero for what was found.
  const std::vector<DimExpr>& positive() const { return positive_; }

 private:
  bool is_least(const DimExpr& e, int64_t least) const {
    const auto low = lower_bound(e, least_);
    return low && *low >= least;
  }
  std::optional<DimExpr> first(ValueId v) { return v == kNone ? std::nullopt : at(v, 0); }
  std::optional<DimExpr> known(const Value& v, const DimExpr& i) const;
  std::optional<DimExpr> in_range(const Node& n, const DimExpr& i);
  std::optional<DimExpr> in_slice(const Node& n, const DimExpr& i);
  std::optional<DimExpr> in_parts(const Node& n, const DimExpr& i);
  bool assume_parts(const Node& n);
  std::optional<DimExpr> indexed(const Node& n, const DimExpr& i);
  std::optional<DimExpr> computed(const Node& n, const DimExpr& i);

  const Graph& g_;
  LeastDims least_;
  std::vector<DimExpr> positive_;
  int steps_ = 0;
};

bool is_vector(const Value& v) { return v.shape && v.rank() == 1; }

std::optional<DimExpr> ElementTrace::known(const Value& v, const DimExpr& i) const {
  const auto at = i.constant();
  if (!at || *at < 0) return {};
  if (v.elements)
    return static_cast<size_t>(*at) < v.elements->size() ? std::optional((*v.elements)[static_cast<size_t>(*at)]) : std::nullopt;
  if (!v.constant || *at >= v.constant->elements() || v.constant->elements() > kMaxElements) return {};
  if (is_integer(v.dtype)) return DimExpr(v.constant->to_int64()[static_cast<size_t>(*at)]);
  const float x = v.constant->to_float()[static_cast<size_t>(*at)];
  if (!(std::fabs(x) < kMostWhole) || x != std::trunc(x)) return {};
  return DimExpr(static_cast<int64_t>(x));
}

std::optional<DimExpr> ElementTrace::at(ValueId v, const DimExpr& i) {
  if (v == kNone || ++steps_ > kMostSteps) return {};
  const Value& x = g_.value(v);
  if (!may_count(x.dtype) || !x.shape) return {};
  if (const auto e = known(x, i)) return e;
  const Node* n = x.constant ? nullptr : g_.producer(v);
  if (n == nullptr) return {};
  switch (n->kind) {
    case OpKind::kIdentity:
    case OpKind::kCast:
    case OpKind::kReshape:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kFlatten: return at(n->in(0), i);
    case OpKind::kRange: return in_range(*n, i);
    case OpKind::kSlice: return in_slice(*n, i);
    case OpKind::kConcat: return in_parts(*n, i);
    case OpKind::kGather: return indexed(*n, i);
    case OpKind::kBinary: return computed(*n, i);
    default: return {};
  }
}

std::optional<DimExpr> ElementTrace::in_range(const Node& n, const DimExpr& i) {
  const auto start = first(n.in(0)), step = first(n.in(2));
  return start && step ? std::optional(*start + i * *step) : std::nullopt;
}

// Of a vector; bounds that inference would have to clamp are left alone.
std::optional<DimExpr> ElementTrace::in_slice(const Node& n, const DimExpr& i) {
  const Value& x = g_.value(n.in(0));
  if (!is_vector(x) || n.in(1) == kNone || !is_vector(g_.value(n.in(1))) || (*g_.value(n.in(1)).shape)[0] != DimExpr(1))
    return {};
  const auto start = first(n.in(1)), step = n.in(4) == kNone ? std::optional(DimExpr(1)) : first(n.in(4));
  if (!start || !step || !step->is_constant()) return {};
  const DimExpr size = (*x.shape)[0];
  DimExpr from = *start;
  if (*step->constant() < 0 && from.constant() && *from.constant() > INT32_MAX)
    from = size - DimExpr(1);
  else if (from.constant() && *from.constant() < 0)
    from = size + from;
  if (!is_least(from, 0) || !is_least(size - DimExpr(1) - from, 0)) return {};
  return at(n.in(0), from + i * *step);
}

std::optional<DimExpr> ElementTrace::in_parts(const Node& n, const DimExpr& i) {
  DimExpr rest = i;
  for (ValueId part : n.inputs) {
    if (part == kNone || !is_vector(g_.value(part))) return {};
    const DimExpr size = (*g_.value(part).shape)[0];
    if (is_least(size - DimExpr(1) - rest, 0)) return at(part, rest);
    if (!is_least(rest - size, 0)) return assume_parts(n) ? in_parts(n, i) : std::nullopt;
    rest = rest - size;
  }
  return {};
}

// No part of the Concat is empty, as the runtime has no empty tensors: the last of pooled positions is none of those before them. False where that
// says nothing new.
bool ElementTrace::assume_parts(const Node& n) {
  const LeastDims before = least_;
  for (ValueId part : n.inputs) {
    if (part == kNone || !is_vector(g_.value(part))) return false;
    const DimExpr size = (*g_.value(part).shape)[0];
    if (is_least(size, 1)) continue;
    note_positive(size, least_);
    positive_.push_back(size);
  }
  return least_ != before;
}

std::optional<DimExpr> ElementTrace::indexed(const Node& n, const DimExpr& i) {
  const Value& x = g_.value(n.in(0));
  const auto index = is_vector(x) ? at(n.in(1), i) : std::nullopt;
  if (!index) return {};
  if (is_least(*index, 0)) return at(n.in(0), *index);
  if (index->constant().value_or(0) < INT32_MIN) return {};  // outside of every vector, and its distance from the end may be no integer
  const DimExpr from_end = (*x.shape)[0] + *index;
  return is_least(DimExpr(0) - *index, 1) && is_least(from_end, 0) ? at(n.in(0), from_end) : std::nullopt;
}

std::optional<DimExpr> ElementTrace::computed(const Node& n, const DimExpr& i) {
  const Shape& out = *g_.value(n.outputs[0]).shape;
  std::optional<DimExpr> side[2];
  for (size_t k = 0; k < 2; ++k) {
    const Value& x = g_.value(n.in(k));
    if (!x.shape) return {};
    if (shape_elements(*x.shape) == DimExpr(1))
      side[k] = at(n.in(k), 0);
    else if (*x.shape == out)
      side[k] = at(n.in(k), i);
    if (!side[k]) return {};
  }
  switch (n.as<BinaryAttrs>().kind) {
    case binary::kAdd: return *side[0] + *side[1];
    case binary::kSub: return *side[0] - *side[1];
    case binary::kMul: return *side[0] * *side[1];
    default: return {};
  }
}

}  // namespace

bool trace_elements(NodeInference& c) {
  const ValueId y = c.node().outputs[0];
  const Value& v = c.graph().value(y);
  if (v.elements || v.constant || !v.shape || v.rank() > 1 || !may_count(v.dtype) || !c.in(0).shape || c.rank(0) != 1)
    return false;
  const auto count = shape_elements(*v.shape).constant();
  if (!count || *count < 1 || *count > kMaxElements) return false;
  std::vector<DimExpr> found, positive;
  for (int64_t i = 0; i < *count; ++i) {
    ElementTrace trace(c.graph(), c.least());
    const auto e = trace.at(y, i);
    if (!e) return false;
    found.push_back(*e);
    positive.insert(positive.end(), trace.positive().begin(), trace.positive().end());
  }
  for (const DimExpr& size : positive) c.needs_positive(size);
  c.set_elements(0, std::move(found));
  return true;
}

}  // namespace edgeconv
