// The error that int8 makes in each layer alone: it ranks the layers for the precision ladder and stands in every report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convert/precision/layer_facts.h"
#include "convert/quantize/layer_samples.h"
#include "convert/quantize/precision_plan.h"
#include "convert/quantize/weight_store.h"
#include "rt/op_params.h"

namespace edgeconv {

struct LayerReport {
  NodeId node = kNone;
  std::string name;
  int64_t k = 0, n = 0;
  double local_sqnr_db = 0;  // fp32 input, only this layer quantized to int8
  Precision precision = ert::params::linear::kInt8;
  bool asked = false;  // by a pattern of the user
  LayerFacts facts = {};
  double accumulated_sqnr_db = kNotKnown;  // its output in the blob against fp32, with the errors of all layers before it
};

// Signal-to-noise ratio of each sampled layer alone in int8, worst first. The packed weights stay in the store.
std::vector<LayerReport> measure_layers(const Graph& g, const LayerSamples& samples, const SmoothingFactors& smooth,
                                        WeightStore& store);

}  // namespace edgeconv
