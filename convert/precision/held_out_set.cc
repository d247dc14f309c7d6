// See held_out_set.h.
#include "convert/precision/held_out_set.h"

#include <algorithm>

#include "convert/interp/interpreter.h"
#include "convert/interp/work.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/measure/compare.h"
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

}  // namespace

bool needs_more_rows(const std::vector<LayerSensitivity>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerSensitivity& l) { return l.facts.outlier_index > kMayErrRarely; });
}

bool only_sees_pictures(const Graph& original, const DimPlan& dims) {
  const bool pictures = std::all_of(original.inputs.begin(), original.inputs.end(), [&](ValueId in) {
    const auto kind = dims.kinds.find(in);
    return kind != dims.kinds.end() && kind->second.kind == InputKind::kImage;
  });
  const auto users = original.users();
  return pictures && std::none_of(original.nodes.begin(), original.nodes.end(), [&](const Node& n) {
           if (n.dead) return false;
           return n.kind == OpKind::kAttention ||
                  (n.kind == OpKind::kSoftmax && !users[static_cast<size_t>(n.outputs[0])].empty());
         });
}

HeldOutSet::HeldOutSet(const Graph& original, const DimPlan& dims, const std::optional<PaddingMask>& padding)
    : original_(original), dims_(dims), padding_(padding) {
  for (ValueId v : original.outputs) names_.push_back(original.value(v).name);
  decisions_ = decisions_of(original, &dims);
  draws_.push_back(next_draw());
}

HeldOutSet::Draw HeldOutSet::next_draw() {
  Draw draw;
  draw.inputs = held_out_inputs(original_, dims_, drawn_++);
  for (const auto& set : draw.inputs) {
    draw.masks.push_back(padding_ ? std::optional(token_mask(*padding_, set)) : std::nullopt);
    draw.reference.push_back(interpret(original_, set, {Backend::kCanonical, {}}));
  }
  return draw;
}

double HeldOutSet::loss(const Tensor& blob, const Draw& draw) const {
  const auto runner = open_own(blob);
  Comparison c(names_, decisions_);
  for (size_t i = 0; i < draw.inputs.size(); ++i)
    c.add(draw.reference[i], runner->run(draw.inputs[i], {1, 0, true}), draw.masks[i]);
  return loss_of(c.worst_cosine(true));
}

double HeldOutSet::loss(const Tensor& blob, double max_loss) const {
  double largest = 0;
  for (const Draw& draw : draws_)
    if (largest <= max_loss) largest = std::max(largest, loss(blob, draw));
  return largest;
}

bool HeldOutSet::confirms(const Tensor& blob, double max_loss) {
  double work = 0;
  for (int i = 0; i < kMostConfirming && (i < kConfirming || work < kCheapConfirming); ++i) {
    Draw fresh = next_draw();
    for (const auto& set : fresh.inputs) work += graph_work(original_, sizes_of(original_, set));
    if (loss(blob, fresh) <= max_loss) continue;
    draws_.push_back(std::move(fresh));
    return false;
  }
  return true;
}

}  // namespace edgeconv
