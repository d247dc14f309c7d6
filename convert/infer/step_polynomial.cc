// See step_polynomial.h.
#include "convert/infer/step_polynomial.h"

#include <algorithm>

#include "convert/infer/step_values.h"

namespace edgeconv {
namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;

constexpr int kMostExpanded = 512, kMostTerms = 64, kMostFactors = 8;

void add_term(Polynomial& to, const std::vector<ValueId>& factors, double by) {
  const auto at = to.emplace(factors, 0.0).first;
  at->second += by;
  if (at->second == 0) to.erase(at);
}

Polynomial sum(Polynomial a, const Polynomial& b, double sign) {
  for (const auto& [factors, by] : b) add_term(a, factors, sign * by);
  return a;
}

class Expansion {
 public:
  explicit Expansion(const Graph& g) : g_(g) {}

  std::optional<Polynomial> of(ValueId given) {
    if (++seen_ > kMostExpanded) return {};
    const ValueId v = same_rows(g_, given);
    if (const auto n = single_number(g_, v)) return number(*n);
    if (g_.value(v).dtype == DType::kBool) return condition(v);
    const Node* p = g_.producer(v);
    if (!p) return Polynomial{{{v}, 1.0}};
    if (p->kind == OpKind::kCast && !is_float(g_.value(p->in(0)).dtype)) return of(p->in(0));
    if (repeats_columns(*p)) return of(p->in(0));
    if (p->kind == OpKind::kUnary && p->as<UnaryAttrs>().kind == unary::kNeg)
      return combined(number(0), of(p->in(0)), binary::kSub);
    if (p->kind == OpKind::kBinary && aligned(*p)) {
      const auto kind = p->as<BinaryAttrs>().kind;
      if (kind == binary::kAdd || kind == binary::kSub || kind == binary::kMul) return combined(of(p->in(0)), of(p->in(1)), kind);
    }
    if (p->kind == OpKind::kWhere && aligned(*p)) return selection(*p);
    return Polynomial{{{v}, 1.0}};
  }

 private:
  static Polynomial number(double n) { return n == 0 ? Polynomial{} : Polynomial{{{}, n}}; }

  // One column that becomes many.
  bool repeats_columns(const Node& n) const {
    const auto in = rows_of(g_, n.in(0)), out = rows_of(g_, n.outputs[0]);
    return n.kind == OpKind::kExpand && in && out && in->rows == out->rows && in->columns == DimExpr(1);
  }

  // Row b of the result is made of row b of each operand.
  bool aligned(const Node& n) const {
    const auto out = rows_of(g_, n.outputs[0]);
    return out && std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) {
             const auto in = rows_of(g_, v);
             return single_number(g_, v) ||
                    (in && in->rows == out->rows && (in->columns == out->columns || in->columns == DimExpr(1)));
           });
  }

  std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) const {
    Polynomial r;
    for (const auto& [f, x] : a)
      for (const auto& [h, y] : b) {
        std::vector<ValueId> factors = f;
        for (const ValueId v : h)
          if (g_.value(v).dtype != DType::kBool || std::find(f.begin(), f.end(), v) == f.end()) factors.push_back(v);
        std::sort(factors.begin(), factors.end());
        if (factors.size() > kMostFactors || r.size() > kMostTerms) return {};
        add_term(r, factors, x * y);
      }
    return r;
  }

  std::optional<Polynomial> combined(const std::optional<Polynomial>& a, const std::optional<Polynomial>& b,
                                     binary::Kind kind) const {
    if (!a || !b) return {};
    return kind == binary::kMul ? product(*a, *b) : sum(*a, *b, kind == binary::kAdd ? 1.0 : -1.0);
  }

  std::optional<Polynomial> selection(const Node& n) {
    const auto chosen = condition(n.in(0));
    return combined(combined(chosen, of(n.in(1)), binary::kMul),
                    combined(combined(number(1), chosen, binary::kSub), of(n.in(2)), binary::kMul), binary::kAdd);
  }

  // One bool for each row, whatever its axes: aligned() has seen those of who reads it.
  std::optional<Polynomial> condition(ValueId v) {
    if (++seen_ > kMostExpanded) return {};
    const Node* p = g_.producer(v);
    if (!p) return Polynomial{{{v}, 1.0}};
    if (p->kind == OpKind::kIdentity || only_reshapes(p->kind) || repeats_columns(*p)) return condition(p->in(0));
    if (p->kind == OpKind::kUnary && p->as<UnaryAttrs>().kind == unary::kNot)
      return combined(number(1), condition(p->in(0)), binary::kSub);
    if (p->kind == OpKind::kBinary && p->as<BinaryAttrs>().kind == binary::kAnd && aligned(*p))
      return combined(condition(p->in(0)), condition(p->in(1)), binary::kMul);
    if (p->kind == OpKind::kCast) {  // there and back
      const Node* before = g_.producer(p->in(0));
      if (before && before->kind == OpKind::kCast && g_.value(before->in(0)).dtype == DType::kBool)
        return condition(before->in(0));
    }
    return Polynomial{{{v}, 1.0}};
  }

  const Graph& g_;
  int seen_ = 0;
};

}  // namespace

std::optional<Polynomial> polynomial(const Graph& g, ValueId v) { return Expansion(g).of(v); }

Polynomial where(const Polynomial& p, ValueId condition, bool holds) {
  Polynomial r;
  for (const auto& [factors, by] : p) {
    std::vector<ValueId> rest = factors;
    const auto at = std::find(rest.begin(), rest.end(), condition);
    if (at != rest.end()) {
      if (!holds) continue;
      rest.erase(at);
    }
    add_term(r, rest, by);
  }
  return r;
}

}  // namespace edgeconv
