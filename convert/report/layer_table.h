// How much error each layer of a blob adds, and how much has come together behind it: what `edgeconv validate` lists.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/plan/dims.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

struct LayerError {
  std::string name;            // of the source node
  const char* precision;       // in the blob: "int8", "w8a16", "fp32"
  double local_sqnr_db;        // this layer alone in int8, on fp32 inputs; NaN: not measured, +inf: equal
  double accumulated_sqnr_db;  // its output in the blob against fp32, with the errors of all layers before it; +inf: equal
};

// g: the prepared model, before passes; sets: inputs that the blob takes, made up or of the user. Worst accumulated first. Layers whose output the blob
// holds in another shape (packed rows of padded batches) are compared on the sets where the shapes agree, and left out when
// there is none.
std::vector<LayerError> layer_errors(Graph g, const DimPlan& dims, BlobRunner& runner,
                                     const std::vector<std::vector<Tensor>>& sets, bool made_up);

}  // namespace edgeconv
