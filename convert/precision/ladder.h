// Chooses the precision of every Linear, and of the recurrent weights of every Recurrence: int8, then 16-bit activations, then
// fp32, climbing only where the measured error asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/lower/lower.h"
#include "convert/ir/graph.h"
#include "convert/measure/accuracy.h"
#include "convert/precision/layer_noise.h"

namespace edgeconv {

enum class PrecisionMode { kAuto, kInt8, kW8A16, kFp32 };

struct PrecisionRequest {
  PrecisionMode mode = PrecisionMode::kAuto;
  std::vector<std::pair<std::string, PrecisionMode>> overrides;  // glob on the source node name -> precision
  double target_cosine = kTargetCosine;                          // auto climbs until every output reaches it
  bool measured = false;  // the gate is the user's: auto looks for the cheapest way by measuring every layer, which takes longer
  int trials = 24;        // evaluations of each search for something cheaper
  // The budget of auto; 0: none. The bytes are those that `bytes` of choose_precision tells.
  double max_slowdown = 0;
  uint64_t max_bytes = 0;
};

// One evaluation on the way to the gate.
struct LadderStep {
  int int8 = 0, w8a16 = 0, fp32 = 0;  // layers
  bool int8_attention = true, int8_tables = true;
  double slowdown = 1, worst_cosine = 0;
};

// The gate cannot be kept within the budget.
struct Shortfall {
  LadderStep reached, needed;                    // the best that fits, and what the climb without a budget found
  uint64_t reached_bytes = 0, needed_bytes = 0;  // where bytes are limited
  bool gate_reached = true;                      // whether the latter keeps to the gate
};

// evaluate: worst output cosine of the model lowered with these options; bytes: its size, asked for where that is limited. Fills
// options.plan and the reports' precision, and says in `trace` what was tried. What auto chooses fits the budget wherever anything
// does; a budget that it keeps to anyhow changes nothing.
std::optional<Shortfall> choose_precision(const PrecisionRequest& request, const SmoothingFactors& smooth,
                                          std::vector<LayerReport>& layers, LowerOptions& options,
                                          const std::function<double(const LowerOptions&)>& evaluate,
                                          std::vector<LadderStep>* trace = nullptr,
                                          const std::function<uint64_t(const LowerOptions&)>& bytes = {});

bool within_budget(const PrecisionRequest& request, const std::vector<LayerReport>& layers, const LowerOptions& options,
                   const std::function<uint64_t(const LowerOptions&)>& bytes);

// The precision of every layer into the options.
void write_precisions(const SmoothingFactors& smooth, const std::vector<LayerReport>& layers, LowerOptions& options);

// Work of the layers as they were chosen, relative to all of them in int8: multiplications, twice as many with 16-bit activations;
// an fp32 multiplication counts as four.
constexpr double kInt8A16Work = 2, kF32Work = 4;
double slowdown(const std::vector<LayerReport>& layers);

// How many blobs of other precisions may be compared in a search for a cheaper one, where a comparison costs `work` (interp/work.h).
int affordable_trials(const Graph& g, double work);

bool glob_match(const std::string& pattern, const std::string& text);  // * and ?

}  // namespace edgeconv
