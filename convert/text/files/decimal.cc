// See decimal.h. Source: parse_integer to f64_from_parts of serde_json 1.0's de.rs, without its feature float_roundtrip.
#include "convert/text/files/decimal.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace edgeconv::text {

namespace {

constexpr int64_t kHighestPower = 308;
constexpr int64_t kFarthestExponent = std::numeric_limits<int32_t>::max();

// The nearest double.
double power_of_ten(int64_t n) {
  const std::string text = "1e" + std::to_string(n);
  double f = 0;
  std::from_chars(text.data(), text.data() + text.size(), f);
  return f;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// All digits as one integer, rounded once to a double, then multiplied or divided by a power of ten.
double from_parts(uint64_t significand, int64_t exponent) {
  auto f = static_cast<double>(significand);
  // Far below the powers of the table.
  for (; exponent < -kHighestPower; exponent += kHighestPower) {
    if (f == 0) return 0;
    f /= power_of_ten(kHighestPower);
  }
  if (exponent < 0) return f / power_of_ten(-exponent);
  if (f == 0) return 0;
  return exponent > kHighestPower ? std::numeric_limits<double>::infinity() : f * power_of_ten(exponent);
}

}  // namespace

double serde_double(std::string_view literal) {
  size_t at = 0;
  const bool negative = at < literal.size() && literal[at] == '-';
  if (negative) ++at;
  uint64_t significand = 0;
  int64_t exponent = 0;
  // Of digits that no 64 bits hold: before the point each raises the exponent, behind it they count no more.
  const auto take = [&](char c) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (significand > (UINT64_MAX - digit) / 10) return false;
    significand = significand * 10 + digit;
    return true;
  };
  bool fits = true;
  for (; at < literal.size() && is_digit(literal[at]); ++at) {
    fits = fits && take(literal[at]);
    if (!fits) ++exponent;
  }
  if (at < literal.size() && literal[at] == '.') {
    fits = true;
    for (++at; at < literal.size() && is_digit(literal[at]); ++at) {
      fits = fits && take(literal[at]);
      if (fits) --exponent;
    }
  }
  if (at < literal.size() && (literal[at] == 'e' || literal[at] == 'E')) {
    ++at;
    const bool down = at < literal.size() && literal[at] == '-';
    if (at < literal.size() && (down || literal[at] == '+')) ++at;
    int64_t said = 0;
    for (; at < literal.size() && is_digit(literal[at]); ++at)
      if (said <= kFarthestExponent) said = said * 10 + (literal[at] - '0');
    exponent += down ? -said : said;
  }
  const double f = from_parts(significand, exponent);
  return negative ? -f : f;
}

}  // namespace edgeconv::text
