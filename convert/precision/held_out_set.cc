// See held_out_set.h.
#include "convert/precision/held_out_set.h"

#include <algorithm>

#include "convert/interp/work.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/inputs/noisy_inputs.h"
#include "convert/precision/validation_set.h"

namespace edgeconv {

namespace {

// Channels that much larger than the others: with 27 to 46 times, less than a report calls standing out, attention already picked
// wrong tokens in one sample of thirty. Ordinary small models have less than 5; a real MiniLM, with 22, has int8 confirmed.
constexpr double kMayErrRarely = 10;
// A plan runs on one draw or a few, many times; what is chosen on more of them, once. One wrong row in ten thousand is too many for a
// user who looks at two hundred rows: more draws where they take little.
constexpr int kConfirming = 4, kMostConfirming = 8;
constexpr double kCheapConfirming = 2e9;  // of graph_work
constexpr double kDrawShare = 0.5;        // of the work that is allowed, where it is limited

}  // namespace

bool needs_more_rows(const std::vector<LayerSensitivity>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerSensitivity& l) { return l.facts.outlier_index > kMayErrRarely; });
}

HeldOutSet::HeldOutSet(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding, double work, bool chaos)
    : original_(original), dims_(dims), padding_(padding), outputs_(original, &dims), work_(work), chaos_(chaos) {
  if (work_ == 0) draws_.push_back(next_draw());
}

HeldOutSet::Draw HeldOutSet::next_draw() {
  Draw draw;
  draw.inputs = held_out_inputs(original_, dims_, drawn_++, work_ * kDrawShare);
  for (const auto& set : draw.inputs) {
    draw.masks.push_back(padding_ ? std::optional(token_mask(*padding_, set)) : std::nullopt);
    draw.reference.push_back(outputs_.of_model(original_, set, {Backend::kCanonical, {}}));
    draw.chaotic.push_back(
        chaos_ ? chaotic_samples(draw.reference.back(), outputs_.of_model(original_, noisy_inputs(set), {Backend::kCanonical, {}}))
               : ChaoticSamples());
  }
  return draw;
}

double HeldOutSet::loss(const Tensor& blob, const Draw& draw) const {
  const auto runner = open_own(blob);
  Comparison c = outputs_.comparison();
  for (size_t i = 0; i < draw.inputs.size(); ++i)
    c.add(draw.reference[i], outputs_.of_blob(*runner, draw.inputs[i]), draw.masks[i], draw.chaotic[i]);
  return loss_of(c.worst_cosine(true));
}

double HeldOutSet::loss(const std::function<const Tensor&()>& blob, double max_loss, std::vector<double>& known) const {
  double largest = 0;
  for (size_t i = 0; i < draws_.size() && largest <= max_loss; ++i) {
    if (i == known.size()) known.push_back(loss(blob(), draws_[i]));
    largest = std::max(largest, known[i]);
  }
  return largest;
}

HeldOutSet::Draw HeldOutSet::worst_set(const Tensor& blob, const Draw& draw) const {
  Draw worst;
  double largest = -1;
  for (size_t i = 0; i < draw.inputs.size(); ++i) {
    Draw one{{draw.inputs[i]}, {draw.reference[i]}, {draw.masks[i]}, {draw.chaotic[i]}};
    if (const double l = loss(blob, one); l > largest) largest = l, worst = std::move(one);
  }
  return worst;
}

bool HeldOutSet::confirms(const Tensor& blob, double max_loss) {
  double work = 0;
  const auto goes_on = [&](int draws) {
    return work_ > 0 ? draws == 0 || work < work_ * (1 - kDrawShare / 2) : draws < kConfirming || work < kCheapConfirming;
  };
  for (int i = 0; i < kMostConfirming && goes_on(i); ++i) {
    Draw fresh = next_draw();
    for (const auto& set : fresh.inputs) work += graph_work(original_, sizes_of(original_, set));
    if (loss(blob, fresh) <= max_loss) continue;
    draws_.push_back(work_ > 0 ? worst_set(blob, fresh) : std::move(fresh));
    return false;
  }
  return true;
}

}  // namespace edgeconv
