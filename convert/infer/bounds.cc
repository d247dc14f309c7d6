// Bounds of symbolic integers, term by term.
#include "convert/infer/bounds.h"

#include <algorithm>

namespace edgeconv {

namespace {

// Sizes beyond this are not looked at: 2^30 samples are 18 hours of audio.
constexpr int64_t kLargestDim = int64_t{1} << 30;

// Grows with each of its dims: dims and quotients of such by positive numbers, added up.
bool grows(const DimExpr& e) {
  for (const auto& t : e.terms()) {
    if (t.factors.empty()) continue;
    if (t.coefficient < 0 || t.factors.size() != 1) return false;
    const DimExpr::Atom& a = *t.factors[0];
    if (a.kind == DimExpr::Atom::Kind::kSymbol) continue;
    const auto divisor = a.rhs.constant();
    if (a.kind != DimExpr::Atom::Kind::kFloorDiv || !divisor || *divisor <= 0 || !grows(a.lhs)) return false;
  }
  return true;
}

// The largest value of a minimum with a number, or of a remainder.
std::optional<int64_t> most_of(const DimExpr::Atom& a) {
  if (a.kind == DimExpr::Atom::Kind::kMin) {
    const auto l = a.lhs.constant(), r = a.rhs.constant();
    return l ? l : r;
  }
  const auto divisor = a.kind == DimExpr::Atom::Kind::kMod ? a.rhs.constant() : std::nullopt;
  return divisor && *divisor > 0 ? std::optional(*divisor - 1) : std::nullopt;
}

constexpr int kMostReplaced = 8;  // quotients inside of others

// Not above e: each quotient by c that e has c times, or a multiple of that, by what it is a quotient of, less its largest remainder where it adds. So
// remainders are decided that files compute as x - floor(x / c) * c. e itself where there is none.
DimExpr without_quotients(const DimExpr& e) {
  DimExpr low = e;
  for (const auto& t : e.terms()) {
    if (t.factors.size() != 1 || t.factors[0]->kind != DimExpr::Atom::Kind::kFloorDiv) continue;
    const DimExpr& x = t.factors[0]->lhs;
    const auto c = t.factors[0]->rhs.constant();
    if (!c || *c <= 0 || t.coefficient % *c != 0) continue;
    const DimExpr times(t.coefficient / *c), remainder(t.coefficient > 0 ? *c - 1 : 0);
    low = low - x.floor_div(*c) * DimExpr(t.coefficient) + times * (x - remainder);
  }
  return low;
}

constexpr int kMostChosen = 3;   // minima and maxima of one expression
constexpr int kMostChoices = 64;  // of one question, with those inside of others: a file may nest them

std::optional<int64_t> bound_by_sides(const DimExpr& e, const LeastDims& least, int choices, int& left);

// left: choices of bound_by_sides that may be made yet.
std::optional<int64_t> bound_of_terms(const DimExpr& e, const LeastDims& least, int& left) {
  const auto bound_inside = [&](const DimExpr& inner) { return bound_by_sides(inner, least, kMostChosen, left); };
  int64_t sum = 0;
  for (const auto& t : e.terms()) {
    if (t.factors.empty()) {
      if (__builtin_add_overflow(sum, t.coefficient, &sum)) return std::nullopt;
      continue;
    }
    if (t.coefficient < 0) {
      const auto most = t.factors.size() == 1 ? most_of(*t.factors[0]) : std::nullopt;
      int64_t low = 0;
      if (!most || __builtin_mul_overflow(t.coefficient, *most, &low) || __builtin_add_overflow(sum, low, &sum)) return std::nullopt;
      continue;
    }
    int64_t product = t.coefficient;
    for (const auto& f : t.factors) {
      std::optional<int64_t> low;
      switch (f->kind) {
        case DimExpr::Atom::Kind::kSymbol: {
          const auto known = least.find(f->name);
          low = known == least.end() ? 1 : known->second;
          break;
        }
        case DimExpr::Atom::Kind::kMin:
        case DimExpr::Atom::Kind::kMax: {
          const auto a = bound_inside(f->lhs), b = bound_inside(f->rhs);
          if (f->kind == DimExpr::Atom::Kind::kMin) {
            if (a && b) low = std::min(*a, *b);
          } else if (a || b) {
            low = std::max(a.value_or(INT64_MIN), b.value_or(INT64_MIN));
          }
          break;
        }
        case DimExpr::Atom::Kind::kFloorDiv: {
          const auto a = bound_inside(f->lhs);
          const auto c = f->rhs.constant();
          if (a && *a >= 0) low = c && *c > 0 ? *a / *c : 0;
          break;
        }
        case DimExpr::Atom::Kind::kMod: low = 0; break;
      }
      if (!low || *low < 0) return std::nullopt;
      if (__builtin_mul_overflow(product, *low, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<int64_t> bound_of_quotients(const DimExpr& e, const LeastDims& least, int& left) {
  std::optional<int64_t> best = bound_of_terms(e, least, left);
  DimExpr now = e;
  for (int i = 0; i < kMostReplaced; ++i) {
    const DimExpr next = without_quotients(now);
    if (next == now) break;
    now = next;
    const auto bound = bound_of_terms(now, least, left);
    if (bound && (!best || *bound > *best)) best = bound;
  }
  return best;
}

// lower_bound() of e with each of up to `choices` minima that it takes away, or maxima that it adds, as either of their two sides: no more than that
// is taken away, no less added. Slices leave s - min(s, 1).
std::optional<int64_t> bound_by_sides(const DimExpr& e, const LeastDims& least, int choices, int& left) {
  std::optional<int64_t> best = bound_of_quotients(e, least, left);
  if (choices == 0) return best;
  for (const auto& t : e.terms()) {
    if (t.factors.size() != 1) continue;
    const DimExpr::Atom& a = *t.factors[0];
    if (a.kind != (t.coefficient < 0 ? DimExpr::Atom::Kind::kMin : DimExpr::Atom::Kind::kMax)) continue;
    if (left-- <= 0) break;
    const DimExpr whole = a.kind == DimExpr::Atom::Kind::kMin ? DimExpr::min(a.lhs, a.rhs) : DimExpr::max(a.lhs, a.rhs);
    for (const DimExpr& side : {a.lhs, a.rhs}) {
      const auto bound = bound_by_sides(e + (side - whole) * DimExpr(t.coefficient), least, choices - 1, left);
      if (bound && (!best || *bound > *best)) best = bound;
    }
    break;
  }
  return best;
}

}  // namespace

std::optional<int64_t> lower_bound(const DimExpr& e, const LeastDims& least) {
  int left = kMostChoices;
  return bound_by_sides(e, least, kMostChosen, left);
}

std::optional<bool> always_equal(const DimExpr& a, const DimExpr& b, const LeastDims& least) {
  if (a == b) return true;
  if (a.is_constant() && b.is_constant()) return false;
  const auto more = lower_bound(a - b, least), less = lower_bound(b - a, least);
  if ((more && *more > 0) || (less && *less > 0)) return false;
  return std::nullopt;
}

std::optional<bool> always_less(const DimExpr& a, const DimExpr& b, const LeastDims& least) {
  const auto less = lower_bound(b - a, least), more = lower_bound(a - b, least);
  if (less && *less > 0) return true;
  if (more && *more >= 0) return false;
  return std::nullopt;
}

DimExpr counted_from_start(const DimExpr& bound, const DimExpr& size) {
  return bound - bound.floor_div(DimExpr(kLargestDim)) * size;  // the quotient is -1 where the bound is negative, and 0 elsewhere
}

void note_positive(const DimExpr& e, LeastDims& least) {
  const std::vector<std::string> names = e.symbols();
  if (names.size() != 1 || !grows(e)) return;
  const auto positive = [&](int64_t n) { return e.evaluate({{names[0], n}}).value_or(1) >= 1; };
  if (positive(1) || !positive(kLargestDim)) return;
  int64_t none = 1, some = kLargestDim;
  while (some - none > 1) {
    const int64_t middle = none + (some - none) / 2;
    (positive(middle) ? some : none) = middle;
  }
  int64_t& known = least.try_emplace(names[0], 1).first->second;
  known = std::max(known, some);
}

}  // namespace edgeconv
