// Inference of elementwise nodes: shapes by broadcast, and arithmetic on symbolic integers.
#include "convert/infer/dispatch.h"

namespace edgeconv {
namespace {

namespace ub = ert::params::unary;
namespace bb = ert::params::binary;

// Powers of sizes: a square number of patches.
constexpr int64_t kMostExponent = 4;

bool is_compare_or_logic(bb::Kind k) {
  switch (k) {
    case bb::kEqual:
    case bb::kLess:
    case bb::kLessOrEqual:
    case bb::kGreater:
    case bb::kGreaterOrEqual: return true;
    default: return false;
  }
}

std::optional<DimExpr> truth(std::optional<bool> b, bool negate = false) {
  if (!b) return std::nullopt;
  return DimExpr(static_cast<int64_t>(*b != negate));
}

// ONNX Div truncates toward zero; floor_div is the same where both sides have one known sign.
std::optional<DimExpr> divide(const DimExpr& a, const DimExpr& b, bool integer, const LeastDims& least) {
  if (b == DimExpr(0)) return std::nullopt;
  if (a.is_constant() && b.is_constant()) {
    if (*b.constant() == -1) return DimExpr(static_cast<int64_t>(0 - static_cast<uint64_t>(*a.constant())));  // the least number has no negative
    if (!integer && *a.constant() % *b.constant() != 0) return std::nullopt;
    return DimExpr(*a.constant() / *b.constant());
  }
  const DimExpr q = a.floor_div(b);
  if (q * b == a) return q;
  const auto la = lower_bound(a, least), lb = lower_bound(b, least);
  if (integer && la && *la >= 0 && lb && *lb > 0) return q;
  return std::nullopt;
}

std::optional<DimExpr> binary_element(bb::Kind kind, const DimExpr& a, const DimExpr& b, bool integer, const LeastDims& least) {
  switch (kind) {
    case bb::kAdd: return a + b;
    case bb::kSub: return a - b;
    case bb::kMul: return a * b;
    case bb::kDiv: return divide(a, b, integer, least);
    case bb::kMod:
      if (!integer || b == DimExpr(0)) return std::nullopt;
      if (a.is_constant() && b.is_constant()) {
        const int64_t d = *b.constant(), r = d == -1 ? 0 : *a.constant() % d;  // the least number by -1 is a trap of the processor
        return DimExpr(r != 0 && (r < 0) != (d < 0) ? r + d : r);
      }
      if (const auto lb = lower_bound(b, least); lb && *lb > 0) return a.mod(b);
      return std::nullopt;
    case bb::kMin:
      if (const auto l = always_less(a, b, least)) return *l ? a : b;
      return DimExpr::min(a, b);
    case bb::kMax:
      if (const auto l = always_less(a, b, least)) return *l ? b : a;
      return DimExpr::max(a, b);
    case bb::kEqual: return truth(always_equal(a, b, least));
    case bb::kLess: return truth(always_less(a, b, least));
    case bb::kGreater: return truth(always_less(b, a, least));
    case bb::kLessOrEqual: return truth(always_less(b, a, least), true);
    case bb::kGreaterOrEqual: return truth(always_less(a, b, least), true);
    case bb::kAnd:
      if (a == DimExpr(0) || b == DimExpr(0)) return DimExpr(0);
      return a.is_constant() && b.is_constant() ? std::optional(DimExpr(1)) : std::nullopt;
    case bb::kOr:
      if (a == DimExpr(1) || b == DimExpr(1)) return DimExpr(1);
      return a.is_constant() && b.is_constant() ? std::optional(DimExpr(0)) : std::nullopt;
    case bb::kXor:
      if (a.is_constant() && b.is_constant()) return DimExpr(static_cast<int64_t>(a != b));
      return std::nullopt;
    case bb::kPow: {
      const auto exponent = b.constant();
      if (!integer || !exponent || *exponent < 0 || *exponent > kMostExponent) return std::nullopt;
      DimExpr power(1);
      for (int64_t i = 0; i < *exponent; ++i) power = power * a;
      return power;
    }
    case bb::kFmod:
    case bb::kPRelu: return std::nullopt;
  }
  return std::nullopt;
}

// Of numbers whose result leaves 64 bits nothing is said here: the interpreter wraps it as ONNX does. T5's buckets do that, where
// the logarithm of distance 0 becomes an integer that a Where leaves out.
template <class Element>
std::optional<DimExpr> unless_numbers_overflow(bool numbers, Element element) {
  try {
    return element();
  } catch (const FatalError&) {
    if (!numbers) throw;
    return std::nullopt;
  }
}

std::optional<DimExpr> unary_element(int kind, const DimExpr& a, const LeastDims& least) {
  switch (kind) {
    case ub::kNeg: return DimExpr(0) - a;
    case ub::kFloor:
    case ub::kCeil:
    case ub::kRound: return a;  // contents are whole numbers
    case ub::kSquare: return a * a;
    case ub::kAbs:
      if (const auto l = lower_bound(a, least); l && *l >= 0) return a;
      if (a.constant()) return DimExpr(0) - a;
      return std::nullopt;
    case ub::kSign:
      if (const auto l = lower_bound(a, least); l && *l > 0) return DimExpr(1);
      if (a.constant()) return DimExpr(*a.constant() < 0 ? -1 : 0);
      return std::nullopt;
    case ub::kNot:
      if (a.constant()) return DimExpr(*a.constant() == 0 ? 1 : 0);
      return std::nullopt;
    case static_cast<int>(ert::kernels::Unary::kRelu):
      if (const auto l = lower_bound(a, least); l && *l >= 0) return a;
      return DimExpr::max(a, DimExpr(0));
    default: return std::nullopt;
  }
}

// Position in an operand for position i of a result of shape `out` (both static).
size_t broadcast_position(size_t i, const Shape& out, const Shape& operand) {
  size_t position = 0, stride = 1;
  for (size_t k = 0; k < out.size(); ++k) {
    const size_t axis = out.size() - 1 - k;
    const size_t n = static_cast<size_t>(*out[axis].constant()), at = i % n;
    i /= n;
    if (k >= operand.size()) continue;
    const size_t m = static_cast<size_t>(*operand[operand.size() - 1 - k].constant());
    if (m != 1) position += at * stride;
    stride *= m;
  }
  return position;
}

}  // namespace

void infer_unary(NodeInference& c) {
  const int kind = c.node().as<UnaryAttrs>().kind;
  const bool to_bool = kind == ub::kIsNaN || kind == ub::kIsInf || kind == ub::kNot;
  c.set(0, to_bool ? DType::kBool : c.dtype(0), c.shape(0));
  const auto e = c.elements(0);
  if (!e && kind == ub::kFloor) return infer_rounded(c, Rounding::kDown);
  if (!e && kind == ub::kCeil) return infer_rounded(c, Rounding::kUp);
  if (!e || kind == ub::kIsNaN || kind == ub::kIsInf) return;
  std::vector<DimExpr> r;
  for (const DimExpr& a : *e) {
    const auto x = unless_numbers_overflow(a.is_constant(), [&] { return unary_element(kind, a, c.least()); });
    if (!x) return;
    r.push_back(*x);
  }
  c.set_elements(0, std::move(r));
}

void infer_binary(NodeInference& c) {
  const bb::Kind kind = c.node().as<BinaryAttrs>().kind;
  const auto out = c.broadcast(c.shape(0), c.shape(1));
  if (!out) return;
  const bool logic =
      is_compare_or_logic(kind) || (c.dtype(0) == DType::kBool && (kind == bb::kAnd || kind == bb::kOr || kind == bb::kXor));
  DType t = logic ? DType::kBool : c.dtype(0);
  // Files with mixed widths (fp16 weights beside fp32 activations) compute in the wider type.
  if (!logic && kind != bb::kPow && is_float(t) && c.dtype(1) == DType::kFloat) t = DType::kFloat;
  c.set(0, t, *out);
  const auto a = c.elements(0), b = c.elements(1);
  if (!a || !b || !is_static(*out) || !is_static(c.shape(0)) || !is_static(c.shape(1))) return;
  const int64_t count = *shape_elements(*out).constant();
  if (count > kMaxElements) return;
  const bool integer = !is_float(c.dtype(0));
  std::vector<DimExpr> r;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const DimExpr &lhs = (*a)[broadcast_position(i, *out, c.shape(0))], &rhs = (*b)[broadcast_position(i, *out, c.shape(1))];
    const auto x = unless_numbers_overflow(lhs.is_constant() && rhs.is_constant(),
                                           [&] { return binary_element(kind, lhs, rhs, integer, c.least()); });
    if (!x) {
      if (kind == bb::kDiv && integer && lower_bound(rhs, c.least()).value_or(0) > 0) c.unknown_sign(lhs);
      return;
    }
    r.push_back(*x);
  }
  c.set_elements(0, std::move(r));
}

void infer_where(NodeInference& c) {
  const auto ab = c.broadcast(c.shape(1), c.shape(2));
  if (!ab) return;
  const auto out = c.broadcast(c.shape(0), *ab);
  if (!out) return;
  // Files that were cast to float16 in parts mix it with float32; the wider one holds both.
  c.set(0,
        dtype_size(c.dtype(2)) > dtype_size(c.dtype(1)) && is_float(c.dtype(1)) && is_float(c.dtype(2)) ? c.dtype(2) : c.dtype(1),
        *out);
  move_elements(c);
}

void infer_cast(NodeInference& c) {
  const DType to = c.node().as<CastAttrs>().to;
  c.set(0, to, c.shape(0));
  const auto e = c.elements(0);
  if (!e && (to == DType::kInt64 || to == DType::kInt32)) return infer_rounded(c, Rounding::kToZero);
  if (!e || c.dtype(0) == DType::kUndefined) return;
  if (to == DType::kBool) {
    std::vector<DimExpr> r;
    for (const DimExpr& a : *e) {
      const auto zero = always_equal(a, DimExpr(0), c.least());
      if (!zero) return;
      r.emplace_back(static_cast<int64_t>(!*zero));
    }
    c.set_elements(0, std::move(r));
  } else if (to == DType::kInt64 || to == DType::kInt32 || to == DType::kFloat || to == DType::kDouble) {
    c.set_elements(0, *e);
  }
}

void infer_identity(NodeInference& c) {
  c.set(0, c.dtype(0), c.shape(0));
  if (c.node().kind == OpKind::kIdentity && c.in(0).elements) c.set_elements(0, *c.in(0).elements);
}

}  // namespace edgeconv
