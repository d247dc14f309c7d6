// Sizes that pass through fractions in floats: floor(S / 2), ceil(S * 0.5), int((S - 400) / 160 + 1). Contents of values are whole numbers, so the fraction
// is followed back from where it is rounded.
#include <cmath>

#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int kMostSteps = 16;
constexpr int64_t kLargestDivisor = 1 << 20;
constexpr float kMostWhole = 16777216.0f;  // below it floats hold every whole number

struct Fraction {
  DimExpr numerator;
  int64_t divisor = 1;  // positive
};

// Numbers of few binary digits behind the point: others, such as 0.1, are no fraction with a small divisor.
std::optional<Fraction> exact_fraction(float x) {
  for (int64_t divisor = 1; divisor <= kLargestDivisor; divisor *= 2) {
    const float whole = x * static_cast<float>(divisor);
    if (!(std::fabs(whole) < kMostWhole)) return {};
    if (whole == std::trunc(whole)) return Fraction{DimExpr(static_cast<int64_t>(whole)), divisor};
  }
  return {};
}

class FractionTrace {
 public:
  explicit FractionTrace(const Graph& g) : g_(g) {}

  // Element i of v.
  std::optional<Fraction> at(ValueId v, size_t i) {
    if (v == kNone || ++steps_ > kMostSteps) return {};
    const Value& x = g_.value(v);
    if (x.elements) return i < x.elements->size() ? std::optional(Fraction{(*x.elements)[i]}) : std::nullopt;
    if (x.constant) return constant(*x.constant, i);
    const Node* n = g_.producer(v);
    if (n == nullptr || n->dead) return {};
    if (n->kind == OpKind::kCast && is_float(x.dtype)) return at(n->in(0), i);
    if (n->kind == OpKind::kIdentity || only_reshapes(n->kind)) return at(n->in(0), i);
    return n->kind == OpKind::kBinary ? computed(*n, i) : std::nullopt;
  }

 private:
  static std::optional<Fraction> constant(const Tensor& t, size_t i) {
    if (t.elements() > kMaxElements || static_cast<int64_t>(i) >= t.elements()) return {};
    if (is_float(t.dtype())) return exact_fraction(t.to_float()[i]);
    return Fraction{DimExpr(t.to_int64()[i])};
  }

  std::optional<Fraction> computed(const Node& n, size_t i) {
    std::optional<Fraction> side[2];
    for (size_t k = 0; k < 2; ++k) {
      const Value& x = g_.value(n.in(k));
      if (!x.shape || !is_static(*x.shape)) return {};
      side[k] = at(n.in(k), *shape_elements(*x.shape).constant() == 1 ? 0 : i);
      if (!side[k]) return {};
    }
    const auto& [a, b] = side;
    Fraction r;
    switch (n.as<BinaryAttrs>().kind) {
      case binary::kAdd:
      case binary::kSub: {
        const DimExpr rhs = b->numerator * DimExpr(a->divisor), lhs = a->numerator * DimExpr(b->divisor);
        r = {n.as<BinaryAttrs>().kind == binary::kAdd ? lhs + rhs : lhs - rhs, a->divisor * b->divisor};
        break;
      }
      case binary::kMul: r = {a->numerator * b->numerator, a->divisor * b->divisor}; break;
      case binary::kDiv: {
        const auto by = b->numerator.constant();
        if (!by || *by < 1 || *by > kLargestDivisor) return {};
        r = {a->numerator * DimExpr(b->divisor), a->divisor * *by};
        break;
      }
      default: return {};
    }
    return r.divisor <= kLargestDivisor ? std::optional(r) : std::nullopt;
  }

  const Graph& g_;
  int steps_ = 0;
};

}  // namespace

void infer_rounded(NodeInference& c, Rounding rounding) {
  const Value& x = c.in(0);
  if (!is_float(x.dtype) || !x.shape || !is_static(*x.shape) || x.rank() > 1) return;
  const int64_t count = *shape_elements(*x.shape).constant();
  if (count < 1 || count > kMaxElements) return;
  std::vector<DimExpr> whole;
  for (int64_t i = 0; i < count; ++i) {
    const auto f = FractionTrace(c.graph()).at(c.node().in(0), static_cast<size_t>(i));
    if (!f) return;
    const DimExpr divisor(f->divisor);
    if (rounding == Rounding::kUp) {
      whole.push_back(DimExpr(0) - (DimExpr(0) - f->numerator).floor_div(divisor));
      continue;
    }
    // Towards zero: down where nothing is negative.
    if (rounding == Rounding::kToZero && lower_bound(f->numerator, c.least()).value_or(-1) < 0) return c.unknown_sign(f->numerator);
    whole.push_back(f->numerator.floor_div(divisor));
  }
  c.set_elements(0, std::move(whole));
}

}  // namespace edgeconv
