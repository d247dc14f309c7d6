// What calibration sees at the layers that are quantized: one run of the graph serves the smoothing factors, the rounding of the
// weights and the error of every layer.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

struct SampledRows {
  int64_t width = 0;
  std::vector<float> data;  // [count, width]
  int64_t count() const { return width ? static_cast<int64_t>(data.size()) / width : 0; }
};

struct LayerSample {
  std::vector<float> amax;        // Linear: largest magnitude of each of its k inputs over all calibration inputs
  std::vector<SampledRows> rows;  // some that the products of the layer read, of all inputs; a Recurrence has one per direction
};

// Of every Linear that may be quantized (exact_layers.h), of the states of every Recurrence, and of the patches of every depthwise convolution over
// maps (map_layers.h), as many as tell its noise.
using LayerSamples = std::map<NodeId, LayerSample>;

// Of `count` rows, the i-th of the `take` (at most as many) to keep: one of each of `take` equal intervals, at a place that
// differs from one to the next. Rows at equal distances would be the tokens of a few positions only, as sentences here have
// a common length.
size_t spread_row(size_t i, size_t count, size_t take);

constexpr int64_t kNoiseRows = 64;  // of a sample, enough to rank layers by the error that int8 makes in them

// Leaves at most `most` of the rows, spread that way.
void thin_out(SampledRows& rows, int64_t most);

// Runs the graph on ert's own kernels, so that the samples, and with them the blob, are the same on every host. Where padding is
// known it is no sample. complete (may be empty) is called once for each layer as soon as its sample is, and may thin it out:
// with one set of inputs that is before the next layer runs, so that the samples are not all in memory at a time.
LayerSamples sample_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration,
                           const std::optional<PaddingMask>& padding = {},
                           const std::function<void(NodeId, LayerSample&)>& complete = {});

}  // namespace edgeconv
