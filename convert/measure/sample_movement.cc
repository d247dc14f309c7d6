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

// Walks the rows that two arrays of one rank both have, as far as both have them: calls visit(start in a, start in b, length) until it says false. The elements of a vector are rows.
template <class Visit>
void walk_shared_rows(const std::vector<int64_t>& a, const std::vector<int64_t>& b, const Visit& visit) {
  const size_t rank = a.size(), outer = std::max<size_t>(1, rank - 1);
  const size_t length = rank > 1 ? static_cast<size_t>(std::min(a.back(), b.back())) : 1;
  std::vector<int64_t> at(rank, 0);
  while (true) {
    size_t in_a = 0, in_b = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      in_a = in_a * static_cast<size_t>(a[axis]) + static_cast<size_t>(at[axis]);
      in_b = in_b * static_cast<size_t>(b[axis]) + static_cast<size_t>(at[axis]);
    }
    if (!visit(in_a, in_b, length)) return;
    size_t axis = outer;
    while (axis > 0 && ++at[axis - 1] == std::min(a[axis - 1], b[axis - 1])) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

void SampleMovement::add(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
                         const std::function<bool(size_t)>& counts) {
  add_samples(values, dims, batched, enough, counts);
  if (batched) add_set(values, dims, enough, counts);
}

std::optional<double> SampleMovement::departure() const {
  const std::optional<double> between_samples = compared_ ? std::optional(departure_) : std::nullopt;
  if (!rows_differ_ || set_moves_) return between_samples;
  return std::min(set_departure_, between_samples.value_or(set_departure_));
}

void SampleMovement::add_samples(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
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

void SampleMovement::add_set(std::span<const float> values, const std::vector<int64_t>& dims, double enough,
                             const std::function<bool(size_t)>& counts) {
  if (set_moves_ || values.empty() || dims.empty()) return;
  const auto value = [&](size_t i) { return !counts || counts(i) ? values[i] : std::numeric_limits<float>::quiet_NaN(); };
  if (first_set_.empty()) {
    first_dims_ = dims;
    first_set_.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i) first_set_.push_back(value(i));
    return;
  }
  if (dims.size() != first_dims_.size()) return;
  walk_shared_rows(first_dims_, dims, [&](size_t in_first, size_t in_this, size_t length) {
    for (size_t k = 0; k < length; ++k) {
      const float was = first_set_[in_first + k], is = value(in_this + k);
      const float apart = std::fabs(is - was), from_first_row = std::fabs(was - first_set_[k]);
      set_departure_ = apart > set_departure_ ? double{apart} : set_departure_;  // NaN is no distance
      rows_differ_ |= is == is && from_first_row > enough;
    }
    set_moves_ = set_departure_ > enough;
    return !set_moves_;
  });
  if (set_moves_) first_set_.clear();
}

}  // namespace edgeconv
