// See portable_math.h.
#include "convert/interp/portable_math.h"

#include <cmath>

namespace edgeconv {

namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

// Of an angle in [0, pi / 4], where these terms of the series leave less than half an ulp.
Turn series(double angle) {
  const double square = angle * angle;
  double cosine = 1, sine = 1;
  for (int k = 18; k >= 2; k -= 2) {
    cosine = 1 - cosine * square / (k * (k - 1));
    sine = 1 - sine * square / (k * (k + 1));
  }
  return {cosine, angle * sine};
}

}  // namespace

Turn turn(int64_t k, int64_t n) {
  k %= n;
  if (k < 0) k += n;
  const int64_t eighth = 8 * k / n;  // 0 to 7
  int64_t rest = 8 * k - eighth * n, quarter = eighth / 2;
  const bool back = eighth % 2 != 0;  // measured from the next quarter
  if (back) {
    rest = n - rest;
    ++quarter;
  }
  Turn t = series(kHalfTurn / 4 * (static_cast<double>(rest) / static_cast<double>(n)));
  if (back) t.sine = -t.sine;
  switch (quarter % 4) {
    case 1: return {-t.sine, t.cosine};
    case 2: return {-t.cosine, -t.sine};
    case 3: return {t.sine, -t.cosine};
    default: return t;
  }
}

double portable_log(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // in [0.5, 1)
  if (m < 0.70710678118654752) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), q = s * s;
  constexpr double kTerms[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                               1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double sum = 0;
  for (const double term : kTerms) sum = sum * q + term;
  return exponent * kLn2 + 2 * s * sum;
}

double portable_exp(double x) {
  constexpr double kLn2High = 0.693147180369123816490, kLn2Low = 1.90821492927058770002e-10;
  if (!(x > -745 && x < 710)) return x > 0 ? INFINITY : x < 0 ? 0 : x;
  const double power = std::nearbyint(x / (kLn2High + kLn2Low));
  const double r = (x - power * kLn2High) - power * kLn2Low;  // |r| <= ln 2 / 2
  double sum = 1;
  for (int k = 18; k >= 1; --k) sum = 1 + r / k * sum;
  return std::ldexp(sum, static_cast<int>(power));
}

}  // namespace edgeconv
