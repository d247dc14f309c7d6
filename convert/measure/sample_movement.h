// Whether an output moves with the inputs, seen at one position from sample to sample. Rows of one sample may differ from each other
// (places, anchors, a bias for each row) in an output that no input moves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace edgeconv {

class SampleMovement {
 public:
  // The output of one set. batched: each element of its first axis is a sample of its own, otherwise all of it is one.
  // counts: which elements do; none: all. Once elements move by more than `enough`, nothing more is looked at.
  void add(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
           const std::function<bool(size_t)>& counts);
  // The largest distance of an element from the first sample of that shape. Nothing where no two samples have one shape, and where a sample is
  // no more than a row.
  std::optional<double> departure() const { return compared_ ? std::optional(departure_) : std::nullopt; }

 private:
  std::map<std::vector<int64_t>, std::vector<float>> first_;  // by shape; NaN: does not count
  double departure_ = 0;
  bool compared_ = false, moves_ = false;
};

}  // namespace edgeconv
