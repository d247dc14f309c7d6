// The sensitivity of layers: the error that int8 makes in each of them alone. It ranks them for the search and stands in every report.
#pragma once

#include <string>
#include <vector>

#include "convert/precision/layer_facts.h"
#include "convert/quantize/layer_samples.h"
#include "convert/quantize/precision_plan.h"
#include "convert/quantize/weight_store.h"

namespace edgeconv {

struct LayerSensitivity {
  NodeId node = kNone;
  std::string name;          // of the source node
  int64_t k = 0, n = 0;      // of its weight
  double local_sqnr_db = 0;  // fp32 input, only this layer quantized to int8; NaN: not measured
  bool smoothed = false;     // there are factors for it
  LayerFacts facts = {};
  double rows = 1;  // of one run at the largest dims (cost.h); layers of a transformer share them, those of a convolution do not
  double quantized_share =
      1;  // of a row's elements in int8, where neighbours share what they quantize (quantize/shared_columns.h)
  double fresh_share = 1;  // of a row's elements, what other rows do not have: a convolution's neighbours meet the same inputs
  bool wide_patches = false;  // in W12A13 each row is put together and quantized alone: fewer values lie side by side than WideConv takes
  bool recurrent = false;
  bool depthwise = false;  // k are the positions of its kernel; int8 over maps, else fp32
  bool over_maps = false;  // where it is int8 and the plan has maps (quantize/map_layers.h)
  bool keeps_map = false;  // one of those that compute over maps for the RAM that these take: else its result has floats

  double weights() const { return static_cast<double>(k) * static_cast<double>(n); }
  double macs() const { return rows * weights(); }
};

// Of every sampled layer, the noisiest first. The packed weights stay in the store.
std::vector<LayerSensitivity> measure_sensitivity(const Graph& g, const LayerSamples& samples, const SmoothingFactors& smooth,
                                                  WeightStore& store);

}  // namespace edgeconv
