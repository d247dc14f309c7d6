// What is done with a finished DimExpr: substitution, evaluation, printing; and functions over whole shapes.
#include <algorithm>
#include <set>

#include "convert/ir/dim_expr.h"

namespace edgeconv {
namespace {

using Atom = DimExpr::Atom;

void collect_symbols(const DimExpr& e, std::set<std::string>& out) {
  for (const auto& t : e.terms())
    for (const auto& f : t.factors) {
      if (f->kind == Atom::Kind::kSymbol) {
        out.insert(f->name);
      } else {
        collect_symbols(f->lhs, out);
        collect_symbols(f->rhs, out);
      }
    }
}

DimExpr substitute_atom(const Atom& a, const std::map<std::string, DimExpr>& with) {
  if (a.kind == Atom::Kind::kSymbol) {
    const auto it = with.find(a.name);
    return it == with.end() ? DimExpr::symbol(a.name) : it->second;
  }
  const DimExpr l = a.lhs.substitute(with), r = a.rhs.substitute(with);
  switch (a.kind) {
    case Atom::Kind::kFloorDiv: return l.floor_div(r);
    case Atom::Kind::kMod: return l.mod(r);
    case Atom::Kind::kMin: return DimExpr::min(l, r);
    default: return DimExpr::max(l, r);
  }
}

std::optional<int64_t> evaluate_atom(const Atom& a, const std::map<std::string, int64_t>& dims) {
  if (a.kind == Atom::Kind::kSymbol) {
    const auto it = dims.find(a.name);
    return it == dims.end() ? std::nullopt : std::optional(it->second);
  }
  const auto l = a.lhs.evaluate(dims), r = a.rhs.evaluate(dims);
  if (!l || !r) return std::nullopt;
  if (a.kind == Atom::Kind::kMin) return std::min(*l, *r);
  if (a.kind == Atom::Kind::kMax) return std::max(*l, *r);
  if (*r == 0 || (*r == -1 && *l == INT64_MIN)) return std::nullopt;
  const int64_t rest = *l % *r;
  const bool below = rest != 0 && (*l < 0) != (*r < 0);
  return a.kind == Atom::Kind::kFloorDiv ? *l / *r - below : rest + (below ? *r : 0);
}

std::string operand_str(const DimExpr& e) { return e.is_constant() || e.is_symbol() ? e.str() : "(" + e.str() + ")"; }

std::string atom_str(const Atom& a) {
  switch (a.kind) {
    case Atom::Kind::kSymbol: return a.name;
    case Atom::Kind::kFloorDiv: return "floor(" + operand_str(a.lhs) + "/" + operand_str(a.rhs) + ")";
    case Atom::Kind::kMod: return "mod(" + a.lhs.str() + ", " + a.rhs.str() + ")";
    case Atom::Kind::kMin: return "min(" + a.lhs.str() + ", " + a.rhs.str() + ")";
    case Atom::Kind::kMax: return "max(" + a.lhs.str() + ", " + a.rhs.str() + ")";
  }
  return "?";
}

}  // namespace

std::vector<std::string> DimExpr::symbols() const {
  std::set<std::string> s;
  collect_symbols(*this, s);
  return {s.begin(), s.end()};
}

DimExpr DimExpr::substitute(const std::map<std::string, DimExpr>& with) const {
  DimExpr sum(0);
  for (const Term& t : terms()) {
    DimExpr product(t.coefficient);
    for (const auto& f : t.factors) product = product * substitute_atom(*f, with);
    sum = sum + product;
  }
  return sum;
}

std::optional<int64_t> DimExpr::evaluate(const std::map<std::string, int64_t>& dims) const {
  int64_t sum = 0;
  for (const Term& t : terms()) {
    int64_t product = t.coefficient;
    for (const auto& f : t.factors) {
      const auto v = evaluate_atom(*f, dims);
      if (!v || __builtin_mul_overflow(product, *v, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::string DimExpr::str() const {
  if (terms().empty()) return "0";
  std::string s;
  for (const Term& t : terms()) {
    const bool negative = t.coefficient < 0;
    if (!s.empty())
      s += negative ? " - " : " + ";
    else if (negative)
      s += "-";
    std::string digits = std::to_string(t.coefficient);
    if (negative) digits.erase(0, 1);
    const bool show_number = t.factors.empty() || digits != "1";
    if (show_number) s += digits;
    for (size_t i = 0; i < t.factors.size(); ++i) s += (i > 0 || show_number ? "*" : "") + atom_str(*t.factors[i]);
  }
  return s;
}

std::string shape_str(const Shape& s) {
  std::string r = "[";
  for (size_t i = 0; i < s.size(); ++i) r += (i > 0 ? ", " : "") + s[i].str();
  return r + "]";
}

DimExpr shape_elements(const Shape& s) {
  DimExpr r(1);
  for (const DimExpr& d : s) r = r * d;
  return r;
}

bool is_static(const Shape& s) {
  return std::all_of(s.begin(), s.end(), [](const DimExpr& d) { return d.is_constant(); });
}

std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b,
                                      const std::function<void(const DimExpr&, const DimExpr&)>& unify) {
  const size_t rank = std::max(a.size(), b.size());
  Shape out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const DimExpr x = i + a.size() < rank ? DimExpr(1) : a[i + a.size() - rank];
    const DimExpr y = i + b.size() < rank ? DimExpr(1) : b[i + b.size() - rank];
    const auto cx = x.constant(), cy = y.constant();
    if (x == y || cy == 1) {
      out[i] = x;
    } else if (cx == 1) {
      out[i] = y;
    } else if (cx && cy) {
      return std::nullopt;
    } else if (cx || cy) {
      out[i] = cx ? x : y;
    } else {
      out[i] = x;
      if (unify) unify(x, y);
    }
  }
  return out;
}

}  // namespace edgeconv
