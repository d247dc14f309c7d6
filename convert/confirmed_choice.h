// Chooses the precisions of a model by measuring whole candidates; where channels stand out, also on rows that no choice saw.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/candidate.h"
#include "convert/held_out.h"
#include "convert/prepare.h"
#include "convert/quantize/ladder.h"

namespace edgeconv {

// What a choice is made of. All of it must outlive the choice.
struct ChoiceInputs {
  const PreparedModel& original;
  const DimPlan& dims;
  const std::optional<PaddingMask>& padding;
  const std::map<NodeId, std::vector<float>>& smooth;
  bool made_up;  // inputs of the comparison: those of a user are what counts, however few
};

class ConfirmedChoice {
 public:
  static constexpr int kClimbs = 4;  // until nothing but fp32 is trusted

  ConfirmedChoice(const ChoiceInputs& in, const PrecisionRequest& request, Candidates& candidates)
      : in_(in), request_(request), candidates_(candidates) {}

  // Fills in the precisions of the options and of the layers, and says in `trace` what was tried.
  // Where rows are held out, what passes must also pass rows that no choice was made by; if not, these join and the climb starts again.
  // After kClimbs of them everything is exact.
  void choose(std::vector<LayerReport>& layers, LowerOptions& options, std::vector<LadderStep>& trace);

 private:
  double judged(const std::vector<LayerReport>& layers, const LowerOptions& options);
  double measured(const std::vector<LayerReport>& layers, const LowerOptions& options);

  const ChoiceInputs in_;
  const PrecisionRequest request_;
  Candidates& candidates_;
  std::optional<HeldOut> held_out_;       // where it is needed
  std::map<std::string, double> failed_;  // cosines of precisions below the gate
};

}  // namespace edgeconv
