// The normal form of a DimExpr: a list of terms in graded lexicographic order (an admissible monomial order, so that polynomial division
// terminates), without zero coefficients and without two terms of equal factors. Degree and length are capped: models are hostile
// input. What grows beyond the caps, or leaves int64, throws FatalError(kLimit).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_expr.h"

namespace edgeconv::dim_terms {

using Term = DimExpr::Term;
using Factors = std::vector<std::shared_ptr<const DimExpr::Atom>>;

constexpr size_t kMaxTerms = 512;
constexpr size_t kMaxDegree = 32;

// Thrown where the node is not known; inference adds it.
class TooComplex : public FatalError {
 public:
  using FatalError::FatalError;
};
[[noreturn]] void too_complex(const char* what);

int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);
int64_t floor_div_int(int64_t a, int64_t b);  // toward minus infinity
bool divides_int(int64_t a, int64_t b);       // b divides a
bool bad_divisor(int64_t a, int64_t b);       // a / b is undefined or leaves int64

// A total order of expressions: 0 exactly where they are equal.
int compare(const DimExpr& a, const DimExpr& b);

// Sorts, adds up terms of equal factors and drops those that vanish. A dim that is a multiple of d (dim_multiple.h) has the whole part S/d:
// what is d times that is S.
void normalise(std::vector<Term>& terms);
// t / c for a positive c, where t has a factor that c divides whatever the sizes are (dim_multiple.h).
std::optional<Term> exact_part(const Term& t, int64_t c);
// The factors of the product of a and b.
Factors merge_factors(const Factors& a, const Factors& b);
// a without the factors of b; false if b does not divide a.
bool divide_factors(const Factors& a, const Factors& b, Factors& out);

}  // namespace edgeconv::dim_terms
