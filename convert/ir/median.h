#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace edgeconv {

// The middle one of `values`, of an even number the larger of the two. There must be one.
template <class T>
T median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace edgeconv
