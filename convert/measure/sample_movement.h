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
  // The output of one set. batched: each element of its first axis may be a sample of its own, otherwise all of it is one.
  // counts: which elements do; none: all. Once elements move by more than `enough`, nothing more is looked at.
  void add(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
           const std::function<bool(size_t)>& counts);
  // The largest distance of an element from the first sample of that shape. Nothing where no two samples have one shape, and where a sample is
  // no more than a row. Where the first axis may be a batch it may also be a sequence: it is the distance from the first set at the same place,
  // if that is smaller, and rows that both have differ from each other.
  std::optional<double> departure() const;

 private:
  void add_samples(std::span<const float> values, const std::vector<int64_t>& dims, bool batched, double enough,
                   const std::function<bool(size_t)>& counts);
  void add_set(std::span<const float> values, const std::vector<int64_t>& dims, double enough, const std::function<bool(size_t)>& counts);

  std::map<std::vector<int64_t>, std::vector<float>> first_;  // by shape; NaN: does not count
  double departure_ = 0;
  bool compared_ = false, moves_ = false;
  // Of sets as wholes, whose sizes may differ.
  std::vector<float> first_set_;
  std::vector<int64_t> first_dims_;
  double set_departure_ = 0;
  bool rows_differ_ = false, set_moves_ = false;
};

}  // namespace edgeconv
