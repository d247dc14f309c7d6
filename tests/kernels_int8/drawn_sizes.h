// Sizes for tests, drawn evenly by their logarithm up to the most that blobs may have: most faults behind the end of something show at sizes that nobody writes down.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/support/random_numbers.h"

namespace ert::kernels::testing {

// In [1, most]. A third are multiples of 16 or stand beside one, where tails begin and end.
inline size_t drawn_size(size_t most, ert::testing::RandomNumbers& random) {
  const float exponent = random.uniform(0.0f, std::log2(static_cast<float>(most) + 1.0f));
  size_t size = static_cast<size_t>(std::exp2(exponent));
  if (random.integer(0, 2) == 0) size = (size + 15) / 16 * 16 + 1 - static_cast<size_t>(random.integer(0, 2));
  return std::min(std::max(size, size_t{1}), most);
}

// The same where the size times `each` is to be at most `work`, or 1.
inline size_t drawn_within(size_t work, size_t each, size_t most, ert::testing::RandomNumbers& random) {
  return drawn_size(std::min(std::max(work / each, size_t{1}), most), random);
}

}  // namespace ert::kernels::testing
