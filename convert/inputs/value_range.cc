// See value_range.h.
#include "convert/inputs/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "convert/inputs/random.h"

namespace edgeconv {

namespace {

// Where the end of the range is that a row reaches: calibrations see brighter and louder samples than the usual ones.
constexpr float kLeastReach = 0.75f;
// Standard deviations from the middle of a range to its ends.
constexpr float kDeviations = 3;
// Quantizers to int8 often make ranges symmetric whatever they saw. The zero point takes one code more below.
constexpr float kSymmetric = 0.02f;

bool is_symmetric(std::pair<float, float> range) { return std::fabs(range.first + range.second) <= kSymmetric * range.second; }

struct Line {
  float factor, offset;
};

void move(std::span<float> values, Line line, std::pair<float, float> range) {
  for (float& x : values) x = std::clamp(line.factor * x + line.offset, range.first, range.second);
}

// Of one row in all steps.
std::vector<std::span<float>> row_of(std::vector<Tensor>& tensors, int64_t rows, int64_t row) {
  std::vector<std::span<float>> parts;
  for (Tensor& t : tensors) {
    const auto width = static_cast<size_t>(t.elements() / rows);
    parts.push_back(t.mut<float>().subspan(static_cast<size_t>(row) * width, width));
  }
  return parts;
}

void fill_range(std::pair<float, float> range, uint64_t seed, std::vector<Tensor>& tensors) {
  const int64_t rows = tensors[0].rank() < 2 ? 1 : tensors[0].dims()[0];
  for (int64_t r = 0; r < rows; ++r) {
    float low = std::numeric_limits<float>::max(), high = -low;
    for (const auto part : row_of(tensors, rows, r))
      for (const float x : part) low = std::min(low, x), high = std::max(high, x);
    if (!(high > low)) continue;
    Random random(seed * 4099 + static_cast<uint64_t>(r));
    const float reach = kLeastReach + (1 - kLeastReach) * random.uniform();
    const float least = is_symmetric(range) && r % 2 == 0 ? 0 : range.first;
    const float factor = (reach * range.second - least) / (high - low);
    for (const auto part : row_of(tensors, rows, r)) move(part, {factor, least - factor * low}, range);
  }
}

}  // namespace

void bring_into_range(InputKind kind, std::pair<float, float> range, uint64_t seed, std::vector<Tensor>& tensors) {
  if (tensors.empty() || tensors[0].elements() == 0) return;
  if (is_signal(kind) && kind != InputKind::kWaveform) return fill_range(range, seed, tensors);
  const float width = range.second - range.first;
  for (Tensor& t : tensors) {
    const auto values = t.mut<float>();
    if (kind == InputKind::kWaveform) {
      move(values, {std::max(-range.first, range.second), 0}, range);
    } else if (range.first == 0) {
      for (float& x : values) x = std::fabs(x);
      move(values, {width / kDeviations, 0}, range);
    } else {
      move(values, {width / (2 * kDeviations), is_symmetric(range) ? 0 : range.first + width / 2}, range);
    }
  }
}

}  // namespace edgeconv
