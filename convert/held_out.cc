// See held_out.h.
#include "convert/held_out.h"

#include <algorithm>

#include "convert/interp/interpreter.h"
#include "convert/quantize/affordable_inputs.h"
#include "convert/report/compare.h"
#include "convert/validation.h"

namespace edgeconv {

bool needs_more_rows(const std::vector<LayerReport>& layers) {
  return std::any_of(layers.begin(), layers.end(), [](const LayerReport& l) { return l.facts.outlier_index > kStandsOut; });
}

HeldOut::HeldOut(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding)
    : inputs_(held_out_inputs(original, dims)) {
  for (ValueId v : original.outputs) names_.push_back(original.value(v).name);
  for (const auto& set : inputs_) {
    masks_.push_back(padding ? std::optional(token_mask(*padding, set)) : std::nullopt);
    reference_.push_back(interpret(original, set, {Backend::kCanonical, {}}));
  }
}

double HeldOut::worst_cosine(const Tensor& blob) const {
  const auto runner = open_own(blob);
  Comparison c(names_);
  for (size_t i = 0; i < inputs_.size(); ++i) c.add(reference_[i], runner->run(inputs_[i], {1, 0, true}), masks_[i]);
  return c.worst_cosine();
}

}  // namespace edgeconv
