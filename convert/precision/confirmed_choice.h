// Chooses the precisions of a model by measuring whole candidates; where channels stand out, also on rows that no choice saw.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "convert/precision/choice_judge.h"
#include "convert/precision/ladder.h"

namespace edgeconv {

class ConfirmedChoice {
 public:
  static constexpr int kClimbs = 10;  // until nothing but fp32 is trusted

  // All must outlive the choice.
  ConfirmedChoice(const PrecisionRequest& request, const SmoothingFactors& smooth, ChoiceJudge& judge)
      : request_(request), smooth_(smooth), judge_(judge) {}

  // Fills in the precisions of the options and of the layers, and says in `trace` what was tried.
  // Where rows are held out, what passes must also pass rows that no choice was made by; if not, these join and the climb starts again.
  // After kClimbs of them everything is exact, or as exact as the budget of the request allows. Gives what is short of the gate where
  // nothing within the budget keeps to it.
  std::optional<Shortfall> choose(std::vector<LayerReport>& layers, LowerOptions& options, std::vector<LadderStep>& trace);

 private:
  double judged(const LowerOptions& options);

  const PrecisionRequest& request_;
  const SmoothingFactors& smooth_;
  ChoiceJudge& judge_;
  std::unordered_map<PrecisionPlan, double> failed_;  // cosines of plans below the gate
};

}  // namespace edgeconv
