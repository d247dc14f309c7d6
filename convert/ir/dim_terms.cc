// Comparison, merging and division of terms.
#include "convert/ir/dim_terms.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"

namespace edgeconv::dim_terms {

using Atom = DimExpr::Atom;

[[noreturn]] void too_complex(const char* what) {
  throw TooComplex(ExitCode::kLimit, std::string("a size computed by the model is too complex: ") + what +
                                         "; fix some of the dynamic axes when you export the model");
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) too_complex("an integer leaves 64 bits");
  return r;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) too_complex("an integer leaves 64 bits");
  return r;
}

namespace {

int compare_atoms(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == Atom::Kind::kSymbol) return a.name.compare(b.name);
  if (int c = compare(a.lhs, b.lhs)) return c;
  return compare(a.rhs, b.rhs);
}

// < 0 if a comes first, that is, if a is the greater monomial.
int compare_factors(const Factors& a, const Factors& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    if (int c = compare_atoms(*a[i], *b[i])) return c;
  return 0;
}

// A dim, or its whole part floor(dim / by): by divides every size of the dim.
struct WholePart {
  std::string dim;
  int64_t by, multiple;  // what the part is a multiple of
};

std::optional<WholePart> whole_part(const Atom& a) {
  const bool quotient = a.kind == Atom::Kind::kFloorDiv;
  if (!quotient && a.kind != Atom::Kind::kSymbol) return {};
  const auto by = quotient ? a.rhs.constant() : 1;
  if (!by || *by < 1 || (quotient && !a.lhs.is_symbol())) return {};
  const std::string& dim = quotient ? a.lhs.symbol_name() : a.name;
  const int64_t multiple = multiple_of_dim(dim);
  if (multiple == 1 || multiple % *by != 0) return {};
  return WholePart{dim, *by, multiple / *by};
}

std::shared_ptr<const Atom> part_atom(const std::string& dim, int64_t by) {
  const DimExpr s = DimExpr::symbol(dim);
  if (by == 1) return s.terms()[0].factors[0];
  return std::make_shared<const Atom>(Atom{Atom::Kind::kFloorDiv, {}, s, DimExpr(by)});
}

void put_factor(Factors& factors, size_t at, std::shared_ptr<const Atom> f) {
  factors[at] = std::move(f);
  std::sort(factors.begin(), factors.end(), [](const auto& x, const auto& y) { return compare_atoms(*x, *y) < 0; });
}

// Coefficients go into the whole parts that they divide: 2 * floor(S / 4) is floor(S / 2).
bool shorten_parts(std::vector<Term>& terms) {
  bool any = false;
  for (Term& t : terms)
    for (size_t i = 0; i < t.factors.size(); ++i) {
      if (t.factors[i]->kind != Atom::Kind::kFloorDiv) continue;
      const auto part = whole_part(*t.factors[i]);
      const int64_t common = part ? std::gcd(t.coefficient % part->by, part->by) : 1;
      if (common <= 1) continue;
      t.coefficient /= common;
      put_factor(t.factors, i, part_atom(part->dim, part->by / common));
      any = true;
      break;
    }
  return any;
}

}  // namespace

std::optional<Term> exact_part(const Term& t, int64_t c) {
  for (size_t i = 0; i < t.factors.size(); ++i) {
    const auto part = whole_part(*t.factors[i]);
    if (!part) continue;
    const int64_t common = std::gcd(t.coefficient % c, c), left = c / common;
    if (part->multiple % left != 0) continue;
    Term q = t;
    q.coefficient /= common;
    put_factor(q.factors, i, part_atom(part->dim, part->by * left));
    return q;
  }
  return {};
}

int compare(const DimExpr& a, const DimExpr& b) {
  const auto &s = a.terms(), &t = b.terms();
  if (&s == &t) return 0;
  for (size_t i = 0; i < std::min(s.size(), t.size()); ++i) {
    if (int c = compare_factors(s[i].factors, t[i].factors)) return c;
    if (s[i].coefficient != t[i].coefficient) return s[i].coefficient < t[i].coefficient ? -1 : 1;
  }
  return s.size() == t.size() ? 0 : s.size() < t.size() ? -1 : 1;
}

namespace {

// Sorted, each product once.
void collect(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return compare_factors(a.factors, b.factors) < 0; });
  size_t out = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (out > 0 && compare_factors(terms[out - 1].factors, terms[i].factors) == 0) {
      terms[out - 1].coefficient = checked_add(terms[out - 1].coefficient, terms[i].coefficient);
    } else {
      if (out > 0 && terms[out - 1].coefficient == 0) --out;
      if (out != i) terms[out] = std::move(terms[i]);
      ++out;
    }
  }
  if (out > 0 && terms[out - 1].coefficient == 0) --out;
  terms.resize(out);
}

}  // namespace

void normalise(std::vector<Term>& terms) {
  do {
    collect(terms);
  } while (shorten_parts(terms));
  if (terms.size() > kMaxTerms) too_complex("too many terms");
}

Factors merge_factors(const Factors& a, const Factors& b) {
  if (a.size() + b.size() > kMaxDegree) too_complex("too many factors");
  Factors r;
  r.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r),
             [](const auto& x, const auto& y) { return compare_atoms(*x, *y) < 0; });
  return r;
}

// a without the factors of b; false if b does not divide a.
bool divide_factors(const Factors& a, const Factors& b, Factors& out) {
  out.clear();
  size_t j = 0;
  for (const auto& f : a) {
    if (j < b.size() && compare_atoms(*f, *b[j]) == 0)
      ++j;
    else
      out.push_back(f);
  }
  return j == b.size();
}

int64_t floor_div_int(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

bool divides_int(int64_t a, int64_t b) { return b != 0 && !(b == -1 && a == INT64_MIN) && a % b == 0; }

bool bad_divisor(int64_t a, int64_t b) { return b == 0 || (b == -1 && a == INT64_MIN); }

}  // namespace edgeconv::dim_terms
