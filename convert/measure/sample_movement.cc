// See sample_movement.h.
#include "convert/measure/sample_movement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace edgeconv {

namespace {

constexpr size_t kBlock = 1024;

struct Distance {
  float most = 0;
  bool known = false;  // two numbers were compared
};

// NaN compares with nothing.
Distance distance(std::span<const float> a, std::span<const float> b) {
  Distance d;
  for (size_t i = 0; i < a.size(); ++i) {
    const float apart = std::fabs(a[i] - b[i]);
    d.most = apart > d.most ? apart : d.most;
    d.known |= apart == apart;
  }
  return d;
}

}  // namespace

void SampleMovement::add(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
                         const std::function<bool(size_t)>& counts) {
  if (moves_ || values.empty() || dims.size() < (batched ? 3 : 2)) return;
  const std::vector<int64_t> shape(dims.begin() + (batched ? 1 : 0), dims.end());
  const size_t count = batched ? static_cast<size_t>(dims[0]) : 1, size = values.size() / count;
  std::vector<float> block;
  for (size_t sample = 0; sample < count; ++sample) {
    const auto [first, is_first] = first_.try_emplace(shape);
    if (is_first) first->second.reserve(size);
    for (size_t at = 0; at < size; at += kBlock) {
      const size_t from = sample * size + at, length = std::min(kBlock, size - at);
      const auto here = values.subspan(from, length);
      block.assign(here.begin(), here.end());
      for (size_t i = 0; counts && i < length; ++i)
        if (!counts(from + i)) block[i] = std::numeric_limits<float>::quiet_NaN();
      if (is_first) {
        first->second.insert(first->second.end(), block.begin(), block.end());
        continue;
      }
      const Distance d = distance(block, std::span(first->second).subspan(at, length));
      compared_ |= d.known;
      departure_ = std::max(departure_, double{d.most});
      moves_ = departure_ > enough;
      if (!moves_) continue;
      first_.clear();
      return;
    }
  }
}

}  // namespace edgeconv
