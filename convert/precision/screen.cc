// See screen.h.
#include "convert/precision/screen.h"

#include <algorithm>
#include <utility>

namespace edgeconv {

namespace {

constexpr double kShare = 0.125;  // of the work

}  // namespace

Screen::Screen(const ValidationSet& validation, Extent extent) : validation_(validation) {
  double work = 0;
  for (size_t i = 0; i < validation.inputs().size() && (extent == kWhole || i == 0 || work < kShare * validation.work()); ++i) {
    sets_.push_back(i);
    work += validation.work_of(i);
  }
}

double Screen::loss(const Tensor& blob) const { return loss_of(validation_.compare(blob, sets_).worst_cosine()); }

void Screen::grow(const Tensor& blob) {
  std::vector<std::pair<double, size_t>> others;  // loss
  for (size_t i = 0; i < validation_.inputs().size(); ++i) {
    if (std::binary_search(sets_.begin(), sets_.end(), i)) continue;
    others.emplace_back(validation_.has_states() ? 0.0 : loss_of(validation_.compare(blob, {i}).worst_cosine()), i);
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  others.resize(std::min(others.size(), sets_.size()));
  for (const auto& [loss, i] : others) sets_.push_back(i);
  std::sort(sets_.begin(), sets_.end());
}

}  // namespace edgeconv
