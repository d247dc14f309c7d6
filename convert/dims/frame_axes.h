// Axes that a model goes along: by them an input's first axis is told to be frames, and not a batch.
#pragma once

#include <set>
#include <string>

#include "convert/ir/graph.h"

namespace edgeconv {

struct AxesOfLayers {
  std::set<std::string> along;  // dims that a recurrence runs over, or a convolution
  std::set<std::string> batch;  // of their batches
};

AxesOfLayers axes_of_layers(const Graph& g);

}  // namespace edgeconv
