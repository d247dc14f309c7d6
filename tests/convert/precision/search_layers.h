// Made-up layers and losses, as the tests of the search for precisions use them.
#pragma once

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "convert/precision/search_problem.h"

namespace edgeconv {

// What GoogleTest shows of plans that should be equal.
inline void PrintTo(const PrecisionPlan& plan, std::ostream* out) { *out << plan.str(); }

}  // namespace edgeconv

namespace edgeconv::testing {

// Of equal size, the noisiest first; ids count from 0.
inline std::vector<LayerSensitivity> some_layers(int n) {
  std::vector<LayerSensitivity> layers;
  for (int i = 0; i < n; ++i) layers.push_back({i, "/layer" + std::to_string(i) + "/dense", 8, 8, 20.0 + i});
  return layers;
}

// Without a budget.
inline SearchProblem problem_of(const std::vector<LayerSensitivity>& layers, std::function<double(const PrecisionPlan&)> loss,
                                const PrecisionRequest& request = {}) {
  return {layers, asked_plan(request, layers), PlanCost(layers), std::move(loss), loss_of(request.target_cosine)};
}

// Outputs lose what their layers add: layer i loses loss[i] in int8, a tenth with 16-bit activations, nothing in fp32.
inline double added_loss(const std::vector<double>& loss, const PrecisionPlan& plan) {
  double all = 0;
  for (const auto& [id, how] : plan.layers())
    all += loss[static_cast<size_t>(id)] * (how.precision == ert::params::linear::kInt8      ? 1
                                            : how.precision == ert::params::linear::kInt8A16 ? 0.1
                                                                                             : 0);
  return all;
}

}  // namespace edgeconv::testing
