// Symbolic integers: sizes of axes, and the contents of small integer tensors that the graph computes from sizes.
// A DimExpr is an integer polynomial in named dims and in atoms such as floor_div(a, b), min(a, b), in a normal form, so
// that equal expressions compare equal. Immutable value type. Named dims are taken to be at least 1 (max(S, 1) is S); arithmetic
// that leaves int64 or grows beyond any sane size expression throws FatalError(kLimit).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace edgeconv {

class DimExpr {
 public:
  DimExpr() : DimExpr(0) {}
  DimExpr(int64_t constant);  // NOLINT: implicit on purpose, sizes are mostly numbers
  static DimExpr symbol(const std::string& name);
  // Shapes are copied everywhere: compiled once, in dim_expr.cc.
  DimExpr(const DimExpr&);
  DimExpr(DimExpr&&) noexcept;
  DimExpr& operator=(const DimExpr&);
  DimExpr& operator=(DimExpr&&) noexcept;
  ~DimExpr();

  DimExpr operator+(const DimExpr& o) const;
  DimExpr operator-(const DimExpr& o) const;
  DimExpr operator*(const DimExpr& o) const;
  DimExpr floor_div(const DimExpr& o) const;  // exact polynomial division where possible, otherwise an atom
  DimExpr mod(const DimExpr& o) const;
  static DimExpr min(const DimExpr& a, const DimExpr& b);
  static DimExpr max(const DimExpr& a, const DimExpr& b);

  bool is_constant() const;
  std::optional<int64_t> constant() const;
  bool is_symbol() const;                  // exactly one named dim
  const std::string& symbol_name() const;  // of is_symbol()
  bool operator==(const DimExpr& o) const;
  bool operator!=(const DimExpr& o) const { return !(*this == o); }
  bool operator<(const DimExpr& o) const;  // an arbitrary total order, for maps

  std::vector<std::string> symbols() const;  // all named dims it depends on, sorted
  DimExpr substitute(const std::map<std::string, DimExpr>& with) const;
  // Value for concrete dims; nullopt when a symbol is missing, a divisor is 0 or the result leaves int64.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t>& dims) const;
  std::string str() const;  // "batch*sequence + 2", for messages

  // Structure, for writing to the blob: value = sum of coefficient * product of factors.
  struct Atom;  // a symbol, or an operation on two expressions
  struct Term {
    int64_t coefficient;
    std::vector<std::shared_ptr<const Atom>> factors;
  };
  const std::vector<Term>& terms() const;
  int depth() const;       // nesting of operation atoms; capped, so that recursion over atoms is safe
  int64_t weight() const;  // atoms, each as often as str() writes it; capped, so that walks end soon
  // The quotient if b divides a exactly as a polynomial.
  static std::optional<DimExpr> exact_quotient(const DimExpr& a, const DimExpr& b);

 private:
  struct Rep;
  static DimExpr from_terms(std::vector<Term> terms);
  static DimExpr from_atom(Atom a);
  static DimExpr extremum(const DimExpr& a, const DimExpr& b, bool want_max);
  explicit DimExpr(std::shared_ptr<const Rep> rep);
  std::shared_ptr<const Rep> rep_;
};

struct DimExpr::Atom {
  enum class Kind { kSymbol, kFloorDiv, kMod, kMin, kMax } kind;
  std::string name;  // kSymbol
  DimExpr lhs, rhs;  // otherwise
};

using Shape = std::vector<DimExpr>;
}  // namespace edgeconv
extern template class std::vector<edgeconv::DimExpr>;
namespace edgeconv {
std::string shape_str(const Shape& s);  // "[batch, sequence, 384]"
DimExpr shape_elements(const Shape& s);
bool is_static(const Shape& s);
// The numpy broadcast of two shapes; nullopt if two constant sizes contradict. An axis where one side is symbolic and the
// other is constant c > 1 takes c; symbol against symbol takes the first when they are unequal and calls `unify`.
std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b,
                                      const std::function<void(const DimExpr&, const DimExpr&)>& unify = {});

}  // namespace edgeconv
