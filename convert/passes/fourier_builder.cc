// See fourier_builder.h.
#include "convert/passes/fourier_builder.h"

#include <cmath>
#include <numeric>

#include "convert/interp/portable_math.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;
using ert::kernels::Unary;

constexpr int64_t kLongestTable = 1024;  // of a transform by one product; longer ones are divided if they can
constexpr int64_t kLongestPrime = 4096;  // 64 MB of tables
constexpr int64_t kLongest = 1 << 20;
constexpr double kHalfTurn = 3.14159265358979323846;

// A divisor of n nearest to its root such that both parts can be transformed; 0 if there is none.
int64_t divisor(int64_t n) {
  for (int64_t d = static_cast<int64_t>(std::sqrt(static_cast<double>(n))) + 1; d >= 2; --d)
    if (n % d == 0 && d < n && transformable(d) && transformable(n / d)) return d;
  return 0;
}

bool is_one_product(int64_t n) { return n <= kLongestTable || divisor(n) == 0; }

}  // namespace

bool transformable(int64_t n) { return n <= kLongestPrime || (n <= kLongest && divisor(n) != 0); }

Signal FourierBuilder::transformed(const Signal& x, int64_t n, int64_t bins, const std::vector<float>& window) {
  if (is_one_product(n)) return by_table(x, n, bins, window);
  Signal all = padded(x, n);
  if (!window.empty()) all = scaled(all, window);
  return divided(all, n, bins);
}

Signal FourierBuilder::real_inverse(const Signal& x, int64_t n) {
  std::vector<float> twice(static_cast<size_t>(n / 2 + 1), 2);  // for the conjugates in the other half
  twice[0] = 1;
  if (n % 2 == 0) twice.back() = 1;
  const Signal half = padded(x, n / 2 + 1);
  Signal y = is_one_product(n) ? transformed(half, n, n, twice) : transformed(scaled(half, twice), n, n);
  y.im = kNone;
  return y;
}

// y = x T, T[k][i] being e^(sign j i k / n turns), for as many rows as x has elements.
Signal FourierBuilder::by_table(const Signal& signal, int64_t n, int64_t bins, const std::vector<float>& window) {
  Signal x = signal;
  if (!x.shape.back().constant() || *x.shape.back().constant() > n) x = padded(x, n);
  const int64_t rows = *x.shape.back().constant();
  std::vector<float> cosine(static_cast<size_t>(rows * bins)), sine = cosine, minus = cosine;
  for (int64_t k = 0; k < rows; ++k) {
    const double w = window.empty() ? 1 : window[static_cast<size_t>(k)];
    for (int64_t i = 0; i < bins; ++i) {
      const Turn t = turn(i * k % n, n);
      const size_t at = static_cast<size_t>(k * bins + i);
      cosine[at] = static_cast<float>(w * t.cosine);
      sine[at] = static_cast<float>(w * sign_ * t.sine);
      minus[at] = -sine[at];
    }
  }
  Shape in = x.shape, out = in;
  out.back() = DimExpr(bins);
  ValueId v = x.re;
  std::vector<float> real = cosine, imaginary = sine;
  if (x.im != kNone) {  // one product over both parts
    in.back() = DimExpr(2 * rows);
    v = add(OpKind::kConcat, {x.re, x.im}, AxisAttrs{static_cast<int64_t>(in.size()) - 1}, in);
    real.insert(real.end(), minus.begin(), minus.end());
    imaginary.insert(imaginary.end(), cosine.begin(), cosine.end());
  }
  const auto times = [&](const std::vector<float>& table) {
    const int64_t height = x.im == kNone ? rows : 2 * rows;
    return add(OpKind::kMatMul, {v, floats({height, bins}, table)}, {}, out);
  };
  return {times(real), times(imaginary), out};
}

// n = n1 n2: transforms of length n1 over every n2-th element, rotations, transforms of length n2 over the results.
Signal FourierBuilder::divided(const Signal& x, int64_t n, int64_t bins) {
  const int64_t n1 = divisor(n), n2 = n / n1, last = static_cast<int64_t>(x.shape.size()) - 1;
  const Shape outer(x.shape.begin(), x.shape.end() - 1);
  const auto with = [&](std::initializer_list<int64_t> sizes) {
    Shape s = outer;
    for (int64_t size : sizes) s.emplace_back(size);
    return s;
  };
  std::vector<int64_t> swapped(static_cast<size_t>(last));
  std::iota(swapped.begin(), swapped.end(), int64_t{0});
  swapped.insert(swapped.end(), {last + 1, last});
  Signal y = transformed(transposed(reshaped(x, with({n1, n2})), swapped), n1, n1);  // [.., n2, n1]
  std::vector<float> cosine, sine;
  for (int64_t k = 0; k < n2; ++k)
    for (int64_t i = 0; i < n1; ++i) {
      const Turn t = turn(i * k % n, n);
      cosine.push_back(static_cast<float>(t.cosine));
      sine.push_back(static_cast<float>(sign_ * t.sine));
    }
  const ValueId c = floats({n2, n1}, cosine), s = floats({n2, n1}, sine);
  const auto product = [&](ValueId a, ValueId b) { return op(binary::kMul, a, b, y.shape); };
  y = {op(binary::kSub, product(y.re, c), product(y.im, s), y.shape),
       op(binary::kAdd, product(y.re, s), product(y.im, c), y.shape), y.shape};
  y = transformed(transposed(y, swapped), n2, n2);  // [.., n1, n2]
  y = reshaped(transposed(y, swapped), with({n}));
  return first(y, static_cast<size_t>(last), DimExpr(bins));
}

Signal FourierBuilder::by_computed_table(const Signal& x, bool has_inner, const DimExpr& n, const DimExpr& bins, bool real_result) {
  const size_t axis = x.shape.size() - (has_inner ? 2 : 1);
  const auto [cosine, sine] = computed_tables(x.shape[axis], has_inner, n, bins, real_result);
  Shape out = x.shape;
  out[axis] = bins;
  const auto times = [&](ValueId t, ValueId v) {
    return add(OpKind::kMatMul, has_inner ? std::vector<ValueId>{t, v} : std::vector<ValueId>{v, t}, {}, out);
  };
  // (cos + sign j sin)(re + j im)
  Signal y{times(cosine, x.re), kNone, out};
  if (x.im != kNone) y.re = op(inverse() ? binary::kSub : binary::kAdd, y.re, times(sine, x.im), out);
  if (real_result) return y;
  y.im = times(sine, x.re);
  if (!inverse()) y.im = add(OpKind::kUnary, {y.im}, UnaryAttrs{static_cast<int>(unary::kNeg), 0}, out);
  if (x.im != kNone) y.im = op(binary::kAdd, y.im, times(cosine, x.im), out);
  return y;
}

// Of the angles k i / n turns for rows k and bins i, with the weights of the inverse: [bins, rows] before what they multiply, [rows, bins] behind it.
FourierBuilder::ComputedTables FourierBuilder::computed_tables(const DimExpr& rows, bool has_inner, const DimExpr& n, const DimExpr& bins,
                                                               bool real_result) {
  // (i * k + h) mod n - h with h = n / 2: the smaller the angle, the smaller its error.
  const ValueId i = positions(bins), k = positions(rows), h = number(n.floor_div(DimExpr(2)));
  const Shape table = has_inner ? Shape{bins, rows} : Shape{rows, bins};
  const auto column = [&](ValueId v, const DimExpr& size, bool first) {
    return first ? add(OpKind::kReshape, {v, sizes_of({size, DimExpr(1)})}, ReshapeAttrs{}, {size, DimExpr(1)}, DType::kInt64) : v;
  };
  const ValueId bin = column(i, bins, has_inner), row = column(k, rows, !has_inner);
  const ValueId product = whole(binary::kMul, bin, row, table);
  const ValueId turns =
      whole(binary::kSub, whole(binary::kMod, whole(binary::kAdd, product, h, table), number(n), table), h, table);
  const ValueId part = op(binary::kDiv, to_float(turns, table), to_float(number(n), {}), table);
  const ValueId angle = op(binary::kMul, part, scalar(2 * kHalfTurn), table);
  const auto function = [&](Unary kind) { return add(OpKind::kUnary, {angle}, UnaryAttrs{static_cast<int>(kind), 0}, table); };
  const ValueId cosine = function(Unary::kCos), sine = function(Unary::kSin);
  if (!inverse()) return {cosine, sine};
  const ValueId weight = weight_of_inverse(row, has_inner ? Shape{rows} : Shape{rows, DimExpr(1)}, n, real_result);
  return {op(binary::kMul, cosine, weight, table), op(binary::kMul, sine, weight, table)};
}

// One over n. Of the half that a real result is made from, twice that but for the first row and the one in the middle:
// 1 + min(k, 1) * min(|n - 2k|, 1).
ValueId FourierBuilder::weight_of_inverse(ValueId row, const Shape& along, const DimExpr& n, bool real_result) {
  const ValueId weight = op(binary::kDiv, scalar(1), to_float(number(n), {}), {});
  if (!real_result) return weight;
  const ValueId one = number(DimExpr(1)),
                from_middle = whole(binary::kSub, number(n), whole(binary::kMul, row, number(DimExpr(2)), along), along);
  const ValueId magnitude =
      add(OpKind::kUnary, {from_middle}, UnaryAttrs{static_cast<int>(unary::kAbs), 0}, along, DType::kInt64);
  const ValueId both = whole(binary::kMul, whole(binary::kMin, row, one, along), whole(binary::kMin, magnitude, one, along), along);
  return op(binary::kMul, to_float(whole(binary::kAdd, both, one, along), along), weight, along);
}

}  // namespace edgeconv
