// See layer_table.h.
#include "convert/report/layer_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "convert/interp/interpreter.h"
#include "convert/passes/pass.h"
#include "convert/quantize/layer_noise.h"
#include "convert/quantize/layer_samples.h"
#include "convert/quantize/layer_weights.h"
#include "convert/quantize/smoothing.h"
#include "convert/quantize/synthetic_inputs.h"
#include "convert/quantize/weight_store.h"
#include "rt/float_mode.h"
#include "rt/op_params.h"

namespace edgeconv {

namespace {

using ert::params::linear::Precision;

const char* precision_name(int32_t p) {
  return p == ert::params::linear::kInt8 ? "int8" : p == ert::params::linear::kInt8A16 ? "w8a16" : "fp32";
}

struct Sums {
  double signal = 0, noise = 0;
  int32_t precision = 0;
};

double decibels(const Sums& s) {
  return s.noise > 0 ? 10 * std::log10(s.signal / s.noise) : std::numeric_limits<double>::infinity();
}

void add(Sums& sums, const std::vector<float>& want, const float* got) {
  for (size_t i = 0; i < want.size(); ++i) {
    const double difference = double{got[i]} - want[i];
    sums.signal += double{want[i]} * want[i];
    sums.noise += difference * difference;
  }
}

// Outputs of the Linears by source node. A name that occurs twice would be compared with the wrong layer: it is left out.
std::map<std::string, std::vector<float>> reference_outputs(const Graph& g, const std::vector<Tensor>& inputs) {
  std::map<std::string, std::vector<float>> outputs;
  std::map<std::string, int> count;
  InterpreterOptions options;
  options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    if (n.kind != OpKind::kLinear || ++count[n.origin.node] > 1) return;
    const Tensor& y = values[static_cast<size_t>(n.outputs[0])];
    if (y.dtype() != DType::kUndefined) outputs[n.origin.node] = y.to_float();  // undefined: behind a custom operator
  };
  interpret(g, inputs, options);
  for (const auto& [name, n] : count)
    if (n > 1) outputs.erase(name);
  return outputs;
}

// The layers' own errors, measured as a conversion with the same data does: on the given inputs, or on made-up ones. A blob with
// 16-bit rows only was converted for these.
std::map<std::string, double> local_errors(const Graph& g, const DimPlan& dims, const std::vector<std::vector<Tensor>>& given,
                                           const std::optional<PaddingMask>& padding, bool only_16_bit) {
  const ert::FloatMode float_mode;
  const auto calibration = given.empty() ? std::vector<std::vector<Tensor>>{synthetic_inputs(g, dims, {})} : given;
  WeightStore weights;
  const QuantizedLayers layers = quantize_layers(g, calibration, padding, only_16_bit ? kInt16Steps : kInt8Steps, weights);
  std::map<std::string, double> local;
  for (const LayerReport& l : measure_layers(g, layers.samples, layers.smooth, weights)) local[l.name] = l.local_sqnr_db;
  return local;
}

}  // namespace

std::vector<LayerError> layer_errors(Graph g, const DimPlan& dims, BlobRunner& runner,
                                     const std::vector<std::vector<Tensor>>& sets, bool made_up) {
  Diagnostics d;
  run_passes(g, d);
  std::map<std::string, Sums> sums;
  for (const auto& set : sets) {
    const auto want = reference_outputs(g, set);
    RunnerOptions options{1, 0, true};
    options.observe = [&](const ObservedOp& op) {
      const auto it = want.find(op.name);
      if (op.kind != "Linear" || it == want.end() || it->second.size() != op.elements) return;
      Sums& s = sums[op.name];
      s.precision = op.first_parameter;
      add(s, it->second, op.output);
    };
    runner.run(set, options);
  }
  const bool only_16_bit = std::none_of(sums.begin(), sums.end(),
                                        [](const auto& layer) { return layer.second.precision == ert::params::linear::kInt8; });
  const auto local =
      local_errors(g, dims, made_up ? std::vector<std::vector<Tensor>>() : sets, padding_mask(runner), only_16_bit);
  std::vector<LayerError> layers;
  for (const auto& [name, s] : sums) {
    const auto it = local.find(name);
    layers.push_back({name, precision_name(s.precision), it == local.end() ? std::nan("") : it->second, decibels(s)});
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerError& a, const LayerError& b) { return a.accumulated_sqnr_db < b.accumulated_sqnr_db; });
  return layers;
}

}  // namespace edgeconv
