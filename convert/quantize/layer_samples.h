// What calibration sees at the layers that are quantized: one run of the graph serves the smoothing factors and the error of
// every layer.
#pragma once

#include <map>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

struct LayerSample {
  std::vector<float> amax;   // Linear: largest magnitude of each input channel over all calibration inputs
  std::vector<Tensor> rows;  // first rows that the products of the layer read, [rows, k]; a Recurrence has one per direction
};

// Of every Linear, and of the states of every Recurrence.
using LayerSamples = std::map<NodeId, LayerSample>;

// Runs the graph on ert's own kernels, so that the samples, and with them the blob, are the same on every host.
LayerSamples sample_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration);

}  // namespace edgeconv
