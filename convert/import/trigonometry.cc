// Tan, the inverse trigonometric and the hyperbolic functions, written with what the runtime has.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

// Short forms for formulas over one node's input.
struct Formula {
  ImportContext& c;
  const OnnxNode& n;
  ValueId x = required_input(c, n, 0);

  ValueId number(double v) { return scalar_like(c, n, x, static_cast<float>(v)); }
  ValueId plus(ValueId a, ValueId b) { return add(c, n, a, b); }
  ValueId minus(ValueId a, ValueId b) { return sub(c, n, a, b); }
  ValueId times(ValueId a, ValueId b) { return mul(c, n, a, b); }
  ValueId over(ValueId a, ValueId b) { return binary(c, n, BinaryKind::kDiv, a, b); }
  ValueId root(ValueId a) { return unary(c, n, UnaryKind::kSqrt, a); }
  ValueId magnitude(ValueId a) { return unary(c, n, UnaryKind::kAbs, a); }
  ValueId exponential(ValueId a) { return unary(c, n, ActivationKind::kExp, a); }
  ValueId logarithm(ValueId a) { return unary(c, n, ActivationKind::kLog, a); }
  ValueId where(ValueId condition, ValueId a, ValueId b) { return c.inner(n, OpKind::kWhere, {condition, a, b}); }
  void result(ValueId y) { c.bind(n, 0, y); }

  // Abramowitz and Stegun 4.4.49, relative error 2e-8 on [0, 1]; above 1 the angle is pi/2 - atan(1/a). Infinity gives pi/2.
  ValueId arc_tangent(ValueId v) {
    constexpr double kPolynomial[] = {0.0028662257, -0.0161657367, 0.0429096138, -0.0752896400, 0.1065626393, -0.1420889944,
                                      0.1999355085, -0.3333314528, 1.0};
    const ValueId a = magnitude(v), inverse = over(number(1), a), t = binary(c, n, BinaryKind::kMin, a, inverse);
    const ValueId square = times(t, t);
    ValueId p = number(kPolynomial[0]);
    for (size_t i = 1; i < std::size(kPolynomial); ++i) p = plus(times(p, square), number(kPolynomial[i]));
    const ValueId angle = times(t, p), large = binary(c, n, BinaryKind::kGreater, a, number(1));
    return times(where(large, minus(number(1.57079632679489662), angle), angle), unary(c, n, UnaryKind::kSign, v));
  }
};

}  // namespace

void import_tan(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  f.result(f.over(unary(c, n, ActivationKind::kSin, f.x), unary(c, n, ActivationKind::kCos, f.x)));
}

void import_atan(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  f.result(f.arc_tangent(f.x));
}

// The products of sums keep their precision near 1, where 1 - x^2 has lost it.
void import_asin(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId one = f.number(1);
  f.result(f.arc_tangent(f.over(f.x, f.root(f.times(f.minus(one, f.x), f.plus(one, f.x))))));
}

void import_acos(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId one = f.number(1);
  f.result(f.times(f.number(2), f.arc_tangent(f.root(f.over(f.minus(one, f.x), f.plus(one, f.x))))));
}

// Near 0 the exponentials cancel; there t = tanh(x / 2) gives 2 t / (1 - t^2).
void import_sinh(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId half = f.number(0.5), t = unary(c, n, ActivationKind::kTanh, f.times(f.x, half));
  const ValueId near = f.over(f.plus(t, t), f.minus(f.number(1), f.times(t, t)));
  const ValueId far = f.times(f.minus(f.exponential(f.x), f.exponential(unary(c, n, UnaryKind::kNeg, f.x))), half);
  f.result(f.where(binary(c, n, BinaryKind::kLess, f.magnitude(f.x), f.number(1)), near, far));
}

void import_cosh(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  f.result(f.times(f.plus(f.exponential(f.x), f.exponential(unary(c, n, UnaryKind::kNeg, f.x))), f.number(0.5)));
}

void import_asinh(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId a = f.magnitude(f.x);
  f.result(f.times(f.logarithm(f.plus(a, f.root(f.plus(f.times(a, a), f.number(1))))), unary(c, n, UnaryKind::kSign, f.x)));
}

void import_acosh(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId one = f.number(1);
  f.result(f.logarithm(f.plus(f.x, f.root(f.times(f.minus(f.x, one), f.plus(f.x, one))))));
}

void import_atanh(ImportContext& c, const OnnxNode& n) {
  Formula f{c, n};
  const ValueId one = f.number(1);
  f.result(f.times(f.logarithm(f.over(f.plus(one, f.x), f.minus(one, f.x))), f.number(0.5)));
}

}  // namespace edgeconv
