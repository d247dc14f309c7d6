// The part of a validation set that a search measures its plans on. Plans differ by much more than the sets do: an eighth of the set tells
// those that fail, and what is chosen has to pass the whole.
#pragma once

#include <vector>

#include "convert/precision/validation_set.h"

namespace edgeconv {

class Screen {
 public:
  enum Extent { kPart, kWhole };
  // validation must outlive this.
  Screen(const ValidationSet& validation, Extent extent);

  bool is_whole() const { return sets_.size() == validation_.inputs().size(); }
  // Of the worst output, against ert's own kernels.
  double loss(const Tensor& blob) const;
  // As many sets again join, those that the blob loses most on; with states those that follow.
  void grow(const Tensor& blob);

  const std::vector<size_t>& sets() const { return sets_; }

 private:
  const ValidationSet& validation_;
  std::vector<size_t> sets_;  // ascending
};

}  // namespace edgeconv
