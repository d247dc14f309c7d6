#include "convert/ir/dim_multiple.h"

#include <cctype>

namespace edgeconv {

int64_t multiple_of_dim(const std::string& name) {
  constexpr size_t kMostDigits = 6;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(i < name.size() ? name[i] : '\0'); };
  size_t digits = 0;
  int64_t n = 0;
  for (; digits <= kMostDigits && std::isdigit(at(digits)); ++digits) n = n * 10 + (at(digits) - '0');
  if (digits == 0 || digits > kMostDigits || n < 1 || at(digits) != '*') return 1;
  const size_t first = digits + 1;
  if (!std::isalpha(at(first)) && at(first) != '_') return 1;
  for (size_t i = first; i < name.size(); ++i)
    if (!std::isalnum(at(i)) && at(i) != '_') return 1;
  return n;
}

}  // namespace edgeconv
