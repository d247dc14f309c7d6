// When rows differ so much in size that sums over them tell of the largest only.
#pragma once

#include <algorithm>
#include <vector>

namespace edgeconv {

// True where a tenth of the sizes is more than a thousand times as large as another tenth: 8 bits of the one are all of the other.
// Layers of ordinary models stay below a hundred.
template <class T>
bool differ_in_size(std::vector<T> sizes) {
  if (sizes.size() < 2) return false;
  std::sort(sizes.begin(), sizes.end());
  const size_t tenth = sizes.size() / 10;
  return sizes[sizes.size() - 1 - tenth] > T{1000} * sizes[tenth];
}

}  // namespace edgeconv
