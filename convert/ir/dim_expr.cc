// Arithmetic of DimExpr on the normal form of dim_terms.h. Depth is capped: models are hostile input and the functions here recurse over
// atoms.
#include "convert/ir/dim_expr.h"

#include <algorithm>

#include "convert/ir/dim_terms.h"

namespace edgeconv {

struct DimExpr::Rep {
  std::vector<Term> terms;
  int depth = 0;       // nesting of operation atoms
  int64_t weight = 0;  // atoms, each as often as it would be written
};

namespace {

using Atom = DimExpr::Atom;
using Term = DimExpr::Term;
using namespace dim_terms;

constexpr int kMaxDepth = 32;
// Expressions share their parts, and walks over one go through each part as often as it is written: v - min(v, d) doubles at each of 32 levels.
constexpr int64_t kMaxWeight = 1 << 16;

int atom_depth(const Atom& a);
int64_t atom_weight(const Atom& a);

int expr_depth(const std::vector<Term>& terms) {
  int d = 0;
  for (const Term& t : terms)
    for (const auto& f : t.factors) d = std::max(d, atom_depth(*f));
  return d;
}

int64_t expr_weight(const std::vector<Term>& terms) {
  int64_t w = 0;
  for (const Term& t : terms)
    for (const auto& f : t.factors) w += atom_weight(*f);
  return w;
}

}  // namespace

DimExpr::DimExpr(const DimExpr&) = default;
DimExpr::DimExpr(DimExpr&&) noexcept = default;
DimExpr& DimExpr::operator=(const DimExpr&) = default;
DimExpr& DimExpr::operator=(DimExpr&&) noexcept = default;
DimExpr::~DimExpr() = default;

DimExpr::DimExpr(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

DimExpr::DimExpr(int64_t constant) {
  auto r = std::make_shared<Rep>();
  if (constant != 0) r->terms.push_back({constant, {}});
  rep_ = std::move(r);
}

const std::vector<Term>& DimExpr::terms() const { return rep_->terms; }

DimExpr DimExpr::from_terms(std::vector<Term> terms) {
  normalise(terms);
  auto r = std::make_shared<Rep>();
  r->depth = expr_depth(terms);
  if (r->depth > kMaxDepth) too_complex("divisions or minima are nested too deeply");
  r->weight = expr_weight(terms);
  if (r->weight > kMaxWeight) too_complex("it repeats its parts too often");
  r->terms = std::move(terms);
  return DimExpr(std::shared_ptr<const Rep>(std::move(r)));
}

int DimExpr::depth() const { return rep_->depth; }
int64_t DimExpr::weight() const { return rep_->weight; }

namespace {
int atom_depth(const Atom& a) { return a.kind == Atom::Kind::kSymbol ? 0 : 1 + std::max(a.lhs.depth(), a.rhs.depth()); }
int64_t atom_weight(const Atom& a) { return a.kind == Atom::Kind::kSymbol ? 1 : 1 + a.lhs.weight() + a.rhs.weight(); }
}  // namespace

DimExpr DimExpr::from_atom(Atom a) { return from_terms({{1, {std::make_shared<const Atom>(std::move(a))}}}); }

DimExpr DimExpr::symbol(const std::string& name) { return from_atom({Atom::Kind::kSymbol, name, {}, {}}); }

DimExpr DimExpr::operator+(const DimExpr& o) const {
  std::vector<Term> t = terms();
  t.insert(t.end(), o.terms().begin(), o.terms().end());
  return from_terms(std::move(t));
}

DimExpr DimExpr::operator-(const DimExpr& o) const { return *this + o * DimExpr(-1); }

DimExpr DimExpr::operator*(const DimExpr& o) const {
  std::vector<Term> t;
  if (terms().size() * o.terms().size() > kMaxTerms * 4) too_complex("too many terms");
  for (const Term& a : terms())
    for (const Term& b : o.terms()) t.push_back({checked_mul(a.coefficient, b.coefficient), merge_factors(a.factors, b.factors)});
  return from_terms(std::move(t));
}

// The quotient if b divides a exactly as a polynomial.
std::optional<DimExpr> DimExpr::exact_quotient(const DimExpr& a, const DimExpr& b) {
  if (b.terms().empty()) return std::nullopt;
  const Term& lead = b.terms().front();
  DimExpr rest = a;
  std::vector<Term> quotient;
  while (!rest.terms().empty()) {
    const Term& t = rest.terms().front();
    Term q;
    if (!divides_int(t.coefficient, lead.coefficient) || !divide_factors(t.factors, lead.factors, q.factors)) return std::nullopt;
    q.coefficient = t.coefficient / lead.coefficient;
    if (quotient.size() > kMaxTerms) return std::nullopt;
    rest = rest - from_terms({q}) * b;
    quotient.push_back(std::move(q));
  }
  return from_terms(std::move(quotient));
}

namespace {

// Divides a and b by the integers and named dims that all their terms share (dims are at least 1, so this keeps the quotient).
void cancel_common(DimExpr& a, DimExpr& b) {
  uint64_t g = 0;
  for (const DimExpr* e : {&a, &b})
    for (const Term& t : e->terms()) {
      uint64_t c = t.coefficient < 0 ? 0 - static_cast<uint64_t>(t.coefficient) : static_cast<uint64_t>(t.coefficient);
      while (c != 0) {
        uint64_t r = g % c;
        g = c;
        c = r;
      }
    }
  if (g > 1 && g <= static_cast<uint64_t>(INT64_MAX)) {
    const DimExpr d(static_cast<int64_t>(g));
    a = *DimExpr::exact_quotient(a, d);
    b = *DimExpr::exact_quotient(b, d);
  }
  for (bool again = true; again;) {
    again = false;
    const Factors candidates = b.terms().front().factors;
    for (const auto& f : candidates) {
      if (f->kind != Atom::Kind::kSymbol) continue;
      const DimExpr s = DimExpr::symbol(f->name);
      auto qa = DimExpr::exact_quotient(a, s), qb = DimExpr::exact_quotient(b, s);
      if (!qa || !qb) continue;
      a = *qa;
      b = *qb;
      again = true;
      break;
    }
  }
}

}  // namespace

DimExpr DimExpr::floor_div(const DimExpr& o) const {
  if (auto q = exact_quotient(*this, o)) return *q;
  DimExpr a = *this, b = o;
  if (!b.terms().empty()) cancel_common(a, b);
  const auto c = b.constant();
  if (!c || *c <= 0) {
    const auto n = a.constant();
    if (n && c && !bad_divisor(*n, *c)) return DimExpr(floor_div_int(*n, *c));
    return from_atom({Atom::Kind::kFloorDiv, {}, a, b});
  }
  if (*c == 1) return a;
  // Positive constant divisor: take whole multiples out, so that only coefficients in [0, c) remain inside.
  std::vector<Term> whole, rest;
  for (const Term& t : a.terms()) {
    if (auto exact = exact_part(t, *c)) {
      whole.push_back(std::move(*exact));
      continue;
    }
    const int64_t q = floor_div_int(t.coefficient, *c);
    whole.push_back({q, t.factors});
    rest.push_back({t.coefficient - q * *c, t.factors});
  }
  const DimExpr r = from_terms(std::move(rest)), w = from_terms(std::move(whole));
  if (r.is_constant()) return w;
  if (r.terms().size() == 1 && r.terms()[0].coefficient == 1 && r.terms()[0].factors.size() == 1) {
    const Atom& inner = *r.terms()[0].factors[0];
    const auto d = inner.kind == Atom::Kind::kFloorDiv ? inner.rhs.constant() : std::nullopt;
    if (d && *d > 0) return w + inner.lhs.floor_div(DimExpr(checked_mul(*d, *c)));  // (x / d) / c = x / (d * c)
  }
  return w + from_atom({Atom::Kind::kFloorDiv, {}, r, b});
}

DimExpr DimExpr::mod(const DimExpr& o) const {
  if (exact_quotient(*this, o)) return DimExpr(0);
  const auto c = o.constant();
  if (!c || *c <= 0) {
    const auto n = constant();
    if (n && c && !bad_divisor(*n, *c)) return DimExpr(*n - floor_div_int(*n, *c) * *c);
    return from_atom({Atom::Kind::kMod, {}, *this, o});
  }
  std::vector<Term> rest;
  for (const Term& t : terms())
    if (!exact_part(t, *c)) rest.push_back({t.coefficient - floor_div_int(t.coefficient, *c) * *c, t.factors});
  const DimExpr r = from_terms(std::move(rest));
  return r.is_constant() ? r : from_atom({Atom::Kind::kMod, {}, r, o});
}

namespace {

// True if e >= 0 for all values of its dims from 1 up: e with every dim written as 1 + x has no negative coefficient.
bool provably_non_negative(const DimExpr& e) {
  std::map<std::string, DimExpr> shift;
  for (const Term& t : e.terms())
    for (const auto& f : t.factors) {
      if (f->kind != Atom::Kind::kSymbol) return false;
      shift.emplace(f->name, DimExpr::symbol(f->name) + DimExpr(1));
    }
  if (shift.size() > 4) return false;
  const DimExpr shifted = e.substitute(shift);
  for (const Term& t : shifted.terms())
    if (t.coefficient < 0) return false;
  return true;
}

bool has_operand(const DimExpr& e, Atom::Kind kind, const DimExpr& operand) {
  if (e.terms().size() != 1 || e.terms()[0].coefficient != 1 || e.terms()[0].factors.size() != 1) return false;
  const Atom& a = *e.terms()[0].factors[0];
  return a.kind == kind && (a.lhs == operand || a.rhs == operand);
}

}  // namespace

DimExpr DimExpr::extremum(const DimExpr& a, const DimExpr& b, bool want_max) {
  const auto ca = a.constant(), cb = b.constant();
  if (ca && cb) return DimExpr(want_max ? std::max(*ca, *cb) : std::min(*ca, *cb));
  // INT64_MAX and INT64_MIN stand for "no limit" in Slice; differences with them would overflow.
  for (const auto& [limit, other] : {std::pair(ca, b), std::pair(cb, a)}) {
    if (limit && *limit > INT64_MAX / 2) return want_max ? DimExpr(*limit) : other;
    if (limit && *limit < INT64_MIN / 2) return want_max ? other : DimExpr(*limit);
  }
  const DimExpr d = a - b;
  if (provably_non_negative(d)) return want_max ? a : b;
  if (provably_non_negative(DimExpr(0) - d)) return want_max ? b : a;
  const auto kind = want_max ? Atom::Kind::kMax : Atom::Kind::kMin;
  if (has_operand(a, kind, b)) return a;
  if (has_operand(b, kind, a)) return b;
  return a < b ? from_atom({kind, {}, a, b}) : from_atom({kind, {}, b, a});
}

DimExpr DimExpr::min(const DimExpr& a, const DimExpr& b) { return extremum(a, b, false); }
DimExpr DimExpr::max(const DimExpr& a, const DimExpr& b) { return extremum(a, b, true); }

bool DimExpr::is_constant() const { return terms().empty() || (terms().size() == 1 && terms()[0].factors.empty()); }

std::optional<int64_t> DimExpr::constant() const {
  if (!is_constant()) return std::nullopt;
  return terms().empty() ? 0 : terms()[0].coefficient;
}

bool DimExpr::is_symbol() const {
  return terms().size() == 1 && terms()[0].coefficient == 1 && terms()[0].factors.size() == 1 &&
         terms()[0].factors[0]->kind == Atom::Kind::kSymbol;
}

const std::string& DimExpr::symbol_name() const { return terms()[0].factors[0]->name; }

bool DimExpr::operator==(const DimExpr& o) const { return compare(*this, o) == 0; }
bool DimExpr::operator<(const DimExpr& o) const { return compare(*this, o) < 0; }

}  // namespace edgeconv

template class std::vector<edgeconv::DimExpr>;
