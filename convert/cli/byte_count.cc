// See byte_count.h.
#include "convert/cli/byte_count.h"

#include <cctype>
#include <charconv>
#include <string_view>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

// 1, 2^10, 2^20, 2^30, or 0 for an unknown unit.
uint64_t factor_of(std::string unit) {
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (unit.empty() || unit == "B") return 1;
  const size_t power = std::string_view("KMG").find(unit[0]);
  const std::string rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB")) return 0;
  return uint64_t{1024} << (10 * power);
}

}  // namespace

uint64_t parse_byte_count(const std::string& flag, const std::string& text) {
  uint64_t count = 0, bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const uint64_t factor = error == std::errc() ? factor_of(std::string(end, text.data() + text.size())) : 0;
  if (factor == 0 || count == 0 || __builtin_mul_overflow(count, factor, &bytes))
    throw FatalError(ExitCode::kUsage, flag + " " + text + ": write a number of bytes from 1 up, for example 65536, 64K or 2M");
  return bytes;
}

}  // namespace edgeconv::cli
