// What a user asks of precisions, and the plan that it leaves to be searched for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convert/measure/accuracy.h"
#include "convert/precision/sensitivity.h"
#include "convert/quantize/precision_plan.h"

namespace edgeconv {

enum class PrecisionMode { kAuto, kInt8, kW8A16, kW12A13, kFp32 };
// Attention and tables are then exact too.
constexpr bool is_exact(PrecisionMode m) { return m == PrecisionMode::kFp32 || m == PrecisionMode::kW12A13; }

struct PrecisionRequest {
  PrecisionMode mode = PrecisionMode::kAuto;
  std::vector<std::pair<std::string, PrecisionMode>> overrides;  // glob on the source node name -> precision
  double target_cosine = kTargetCosine;                          // auto climbs until every output reaches it
};

const char* mode_name(PrecisionMode m);

// Whether a pattern of the user means the layer.
bool asked_for(const PrecisionRequest& request, const std::string& layer);

// The plan of a request before any search. Of auto: with everything in int8 that is not fixed.
struct AskedPlan {
  PrecisionPlan plan;
  std::vector<char> fixed;  // one entry a layer: 1 where its precision is the user's
};

// Throws FatalError(kUsage) where a pattern matches none of the layers.
AskedPlan asked_plan(const PrecisionRequest& request, const std::vector<LayerSensitivity>& layers);

bool glob_match(const std::string& pattern, const std::string& text);  // * and ?

}  // namespace edgeconv
