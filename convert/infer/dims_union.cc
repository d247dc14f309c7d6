// Union of equal dims: solves a == b for one symbol and replaces it in all shapes and symbolic contents of the graph.
#include "convert/infer/dims_union.h"

#include <algorithm>
#include <optional>

namespace edgeconv {
namespace {

// e = coefficient * symbol + constant, with one symbol.
struct Linear {
  std::string symbol;
  int64_t coefficient = 0, constant = 0;
};

std::optional<Linear> as_linear(const DimExpr& e) {
  Linear r;
  for (const auto& t : e.terms()) {
    if (t.factors.empty()) {
      r.constant += t.coefficient;
    } else if (t.factors.size() == 1 && t.factors[0]->kind == DimExpr::Atom::Kind::kSymbol && r.symbol.empty()) {
      r.symbol = t.factors[0]->name;
      r.coefficient = t.coefficient;
    } else {
      return std::nullopt;
    }
  }
  if (r.symbol.empty()) return std::nullopt;
  return r;
}

// A product of one coefficient and factors, with the factors of both sides that are equal taken out.
bool cancel_common(const DimExpr& a, const DimExpr& b, DimExpr& a_rest, DimExpr& b_rest) {
  if (a.terms().size() != 1 || b.terms().size() != 1) return false;
  a_rest = a;
  b_rest = b;
  bool any = false;
  for (const auto& f : a.terms()[0].factors) {
    if (f->kind != DimExpr::Atom::Kind::kSymbol) continue;
    const DimExpr s = DimExpr::symbol(f->name);
    const DimExpr qa = a_rest.floor_div(s), qb = b_rest.floor_div(s);
    if (qa * s == a_rest && qb * s == b_rest) {
      a_rest = qa;
      b_rest = qb;
      any = true;
    }
  }
  return any;
}

// a = min(a, b), or max: with b = a it holds. That a is not the longer one would do, but no range of sizes says so.
std::optional<DimExpr> one_that_fits(const DimExpr& a, const DimExpr& extremum) {
  if (!a.is_symbol() || extremum.terms().size() != 1) return {};
  const auto& term = extremum.terms()[0];
  if (term.coefficient != 1 || term.factors.size() != 1) return {};
  const DimExpr::Atom& atom = *term.factors[0];
  if (atom.kind != DimExpr::Atom::Kind::kMin && atom.kind != DimExpr::Atom::Kind::kMax) return {};
  const DimExpr& other = atom.lhs == a ? atom.rhs : atom.lhs;
  if ((atom.lhs != a && atom.rhs != a) || !other.is_symbol()) return {};
  return other;
}

// Sums of symbols and a constant, none of them taken away.
bool is_sum(const DimExpr& e) {
  return std::all_of(e.terms().begin(), e.terms().end(), [](const auto& t) {
    return t.coefficient > 0 && (t.factors.empty() || (t.factors.size() == 1 && t.factors[0]->kind == DimExpr::Atom::Kind::kSymbol));
  });
}

}  // namespace

DimsUnion::DimsUnion(Graph& g) : g_(g) {
  for (ValueId v : g.inputs) {
    if (!g.value(v).shape) continue;
    for (const DimExpr& d : *g.value(v).shape) {
      for (const std::string& s : d.symbols()) order_.emplace(s, order_.size());
    }
  }
}

bool DimsUnion::preferred(const std::string& a, const std::string& b) const {
  const auto ia = order_.find(a), ib = order_.find(b);
  if (ia != order_.end() && ib != order_.end()) return ia->second < ib->second;
  if (ia != order_.end() || ib != order_.end()) return ia != order_.end();
  return a < b;
}

void DimsUnion::replace(const std::string& symbol, const DimExpr& with) {
  const std::map<std::string, DimExpr> map{{symbol, with}};
  const auto apply = [&](std::vector<DimExpr>& v) {
    for (DimExpr& e : v) {
      if (!e.is_constant()) e = e.substitute(map);
    }
  };
  for (Value& v : g_.values) {
    if (v.shape) apply(*v.shape);
    if (v.elements) apply(*v.elements);
  }
  for (auto& [name, sum] : g_.summed_dims) sum = sum.substitute(map);
  if (const auto known = g_.least_dims.find(symbol); known != g_.least_dims.end()) {
    if (with.is_symbol()) {
      int64_t& least = g_.least_dims.try_emplace(with.symbol_name(), 1).first->second;
      least = std::max(least, known->second);
    }
    g_.least_dims.erase(symbol);
  }
  if (with.is_symbol()) note_same(symbol, with.symbol_name());
  changed_ = true;
}

// What the user says of a dim holds for the one that it is.
void DimsUnion::note_same(const std::string& symbol, const std::string& kept) {
  for (auto& [other, name] : g_.same_dims)
    if (name == symbol) name = kept;
  if (is_input_dim(symbol)) g_.same_dims[symbol] = kept;
  if (const auto most = g_.most_dims.find(symbol); most != g_.most_dims.end()) {
    int64_t& both = g_.most_dims.emplace(kept, most->second).first->second;
    both = std::min(both, most->second);
  }
}

DimsUnion::Result DimsUnion::unify(const DimExpr& a, const DimExpr& b) {
  if (a == b) return Result::kSame;
  if (a.is_constant() && b.is_constant()) return Result::kContradiction;
  if (a.is_symbol() && b.is_symbol()) {
    const bool keep_a = preferred(a.symbol_name(), b.symbol_name());
    replace(keep_a ? b.symbol_name() : a.symbol_name(), keep_a ? a : b);
    return Result::kMerged;
  }
  DimExpr ra, rb;
  if (cancel_common(a, b, ra, rb)) return unify(ra, rb);
  // A dim that no input declares takes the other side's expression. So does one that is the sum of other inputs' dims: a mask over past and new
  // tokens, whose axis has a name of its own.
  for (const auto& [symbol, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (!symbol->is_symbol() || other->is_constant()) continue;
    const std::string name = symbol->symbol_name();
    const std::vector<std::string> inside = other->symbols();
    if (std::find(inside.begin(), inside.end(), name) != inside.end()) continue;
    if (is_input_dim(name)) {
      if (!is_sum(*other) || !std::all_of(inside.begin(), inside.end(), [&](const std::string& s) { return is_input_dim(s); })) continue;
      g_.summed_dims[name] = *other;
    }
    replace(name, *other);
    return Result::kMerged;
  }
  // A mask that was cut to the length of the ids, as torch.export writes it where both are declared apart.
  for (const auto& [symbol, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (const auto fitting = one_that_fits(*symbol, *other)) return unify(*symbol, *fitting);
  const std::optional<Linear> difference = as_linear(a - b);
  if (!difference) return Result::kUndecided;
  if (difference->constant % difference->coefficient != 0) return Result::kContradiction;
  const int64_t number = -difference->constant / difference->coefficient;
  if (number < 0) return Result::kContradiction;
  last_symbol_ = difference->symbol;
  last_number_ = number;
  replace(difference->symbol, DimExpr(number));
  return is_input_dim(difference->symbol) ? Result::kSpecialised : Result::kMerged;
}

}  // namespace edgeconv
