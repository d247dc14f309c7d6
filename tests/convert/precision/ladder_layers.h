// Made-up layers, as the tests of the precision ladder climb with.
#pragma once

#include <string>
#include <vector>

#include "convert/precision/ladder.h"

namespace edgeconv::testing {

// Of equal size, the noisiest first.
inline std::vector<LayerReport> some_layers(int n) {
  std::vector<LayerReport> layers;
  for (int i = 0; i < n; ++i)
    layers.push_back({i, "/layer" + std::to_string(i) + "/dense", 8, 8, 20.0 + i, ert::params::linear::kInt8});
  return layers;
}

inline int with_precision(const LowerOptions& o, ert::params::linear::Precision p) {
  int n = 0;
  for (const auto& [id, l] : o.plan.layers()) n += l.precision == p;
  return n;
}

}  // namespace edgeconv::testing
