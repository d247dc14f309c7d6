// Dims whose name says what divides them. torch.export writes an axis that must be even as 2*h2, where no other axis is h2 alone: the whole
// text is then the dim's name, and its size a multiple of 2. That proves sizes of networks that halve a map and double it again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace edgeconv {

// What every size of the dim is a multiple of: N of a name "N*symbol", else 1.
int64_t multiple_of_dim(const std::string& name);

// The size of the dim that is nearest to n and not above it (below it), but for the least size that it can have.
inline int64_t size_at_most(const std::string& name, int64_t n) {
  const int64_t m = multiple_of_dim(name);
  return m == 1 ? n : std::max(n / m * m, m);
}
inline int64_t size_at_least(const std::string& name, int64_t n) {
  const int64_t m = multiple_of_dim(name);
  return m == 1 ? n : std::max((n + m - 1) / m * m, m);
}

}  // namespace edgeconv
