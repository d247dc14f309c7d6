// Chooses the precision of every Linear, and of the recurrent weights of every Recurrence: int8, then 16-bit activations, then
// fp32, climbing only where the measured error asks for it (DESIGN 7).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "convert/emit/lower.h"
#include "convert/ir/graph.h"
#include "convert/quantize/layer_noise.h"

namespace edgeconv {

enum class PrecisionMode { kAuto, kInt8, kW8A16, kFp32 };

struct PrecisionRequest {
  PrecisionMode mode = PrecisionMode::kAuto;
  std::vector<std::pair<std::string, PrecisionMode>> overrides;  // glob on the source node name -> precision
  double target_cosine = 0.999;                                  // auto climbs until every output reaches it
  bool measured = false;  // the gate is the user's: auto looks for the cheapest way by measuring every layer, which takes longer
  int trials = 24;                                               // evaluations of each search for something cheaper
};

// One evaluation on the way to the gate.
struct LadderStep {
  int int8 = 0, w8a16 = 0, fp32 = 0;  // layers
  bool int8_attention = true, int8_tables = true;
  double slowdown = 1, worst_cosine = 0;
};

// evaluate: worst output cosine of the model lowered with these options. Fills options.linear and the reports' precision,
// and says in `trace` what was tried.
void choose_precision(const PrecisionRequest& request, const std::map<NodeId, std::vector<float>>& smooth,
                      std::vector<LayerReport>& layers, LowerOptions& options,
                      const std::function<double(const LowerOptions&)>& evaluate, std::vector<LadderStep>* trace = nullptr);

// Work of the layers as they were chosen, relative to all of them in int8: multiplications, twice as many with 16-bit activations;
// an fp32 multiplication counts as four.
constexpr double kInt8A16Work = 2, kF32Work = 4;
double slowdown(const std::vector<LayerReport>& layers);

bool glob_match(const std::string& pattern, const std::string& text);  // * and ?

}  // namespace edgeconv
