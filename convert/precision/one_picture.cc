// See one_picture.h.
#include "convert/precision/one_picture.h"

#include <algorithm>

#include "convert/inputs/affordable_inputs.h"
#include "convert/interp/work.h"
#include "convert/precision/validation_set.h"

namespace edgeconv {

namespace {

constexpr double kClearlyLess = 0.75;  // of the work

SyntheticSpec one_picture(const Graph& g, const DimPlan& dims) { return affordable(g, dims, {1, 32, false, 101, true}, kPatience); }

}  // namespace

bool OnePicture::suffices(const Graph& original, const DimPlan& dims, const std::vector<Tensor>& set) {
  const bool pictures = std::all_of(original.inputs.begin(), original.inputs.end(), [&](ValueId v) {
    const auto kind = dims.kinds.find(v);
    return kind != dims.kinds.end() && kind->second.kind == InputKind::kImage;
  });
  return pictures && graph_work(original, synthetic_sizes(original, dims, one_picture(original, dims))) <=
                         kClearlyLess * graph_work(original, sizes_of(original, set));
}

OnePicture::OnePicture(const Graph& original, const DimPlan& dims)
    : outputs_(original, &dims), inputs_(synthetic_inputs(original, dims, one_picture(original, dims))) {
  reference_ = outputs_.of_model(original, inputs_, {Backend::kCanonical, {}});
}

double OnePicture::loss(const Tensor& blob) const {
  Comparison c = outputs_.comparison();
  c.add(reference_, outputs_.of_blob(*open_own(blob), inputs_), std::nullopt, {});
  return loss_of(c.worst_cosine());
}

}  // namespace edgeconv
