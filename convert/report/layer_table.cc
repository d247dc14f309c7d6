// See layer_table.h.
#include "convert/report/layer_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "convert/precision/sensitivity.h"
#include "convert/quantize/layer_samples.h"
#include "convert/quantize/layer_weights.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/quantize/weight_store.h"
#include "convert/measure/accumulated_error.h"
#include "convert/quantize/precision_plan.h"
#include "rt/base/float_mode.h"

namespace edgeconv {

namespace {

// The layers' own errors, measured as a conversion with the same data does: on the given inputs, or on made-up ones.
std::map<std::string, double> local_errors(const Graph& g, const DimPlan& dims, const std::vector<std::vector<Tensor>>& given,
                                           const std::optional<PaddingMask>& padding, double lhs_steps) {
  const ert::FloatMode float_mode;
  const auto calibration = given.empty() ? calibration_inputs(g, dims) : given;
  WeightStore weights;
  const QuantizedLayers layers = quantize_layers(g, calibration, padding, lhs_steps, weights);
  std::map<std::string, double> local;
  // The other half of a recurrent layer has the name of its Linear.
  for (const LayerSensitivity& l : measure_sensitivity(g, layers.samples, layers.smooth, weights))
    if (g.node(l.node).kind == OpKind::kLinear) local[l.name] = l.local_sqnr_db;
  return local;
}

}  // namespace

LayerTable::LayerTable(Graph fused, const DimPlan& dims, const std::vector<std::vector<Tensor>>& calibration,
                       const std::optional<PaddingMask>& padding, double lhs_steps)
    : graph_(std::move(fused)), padding_(padding), local_(local_errors(graph_, dims, calibration, padding, lhs_steps)) {}

std::vector<LayerError> LayerTable::errors(BlobRunner& runner, const std::vector<std::vector<Tensor>>& sets) const {
  std::vector<LayerError> layers;
  for (const auto& [name, e] : accumulated_errors(graph_, runner, sets, padding_)) {
    const auto it = local_.find(name);
    layers.push_back({name, precision_name(e.precision), it == local_.end() ? std::nan("") : it->second, e.sqnr_db});
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerError& a, const LayerError& b) { return a.accumulated_sqnr_db < b.accumulated_sqnr_db; });
  return layers;
}

}  // namespace edgeconv
