// Comparison, merging and division of terms.
#include "convert/ir/dim_terms.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "convert/ir/diagnostics.h"

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

}  // namespace

int compare(const DimExpr& a, const DimExpr& b) {
  const auto &s = a.terms(), &t = b.terms();
  if (&s == &t) return 0;
  for (size_t i = 0; i < std::min(s.size(), t.size()); ++i) {
    if (int c = compare_factors(s[i].factors, t[i].factors)) return c;
    if (s[i].coefficient != t[i].coefficient) return s[i].coefficient < t[i].coefficient ? -1 : 1;
  }
  return s.size() == t.size() ? 0 : s.size() < t.size() ? -1 : 1;
}

void normalise(std::vector<Term>& terms) {
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
