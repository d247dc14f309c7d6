// How much error each layer of a blob adds, and how much has come together behind it: what `edgeconv validate` lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/measure/token_mask.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

struct LayerError {
  std::string name;            // of the source node
  const char* precision;       // in the blob: "int8", "w8a16", "fp32"
  double local_sqnr_db;        // this layer alone in int8, on fp32 inputs; NaN: not measured, +inf: equal
  double accumulated_sqnr_db;  // its output in the blob against fp32, with the errors of all layers before it; +inf: equal
};

class LayerTable {
 public:
  // calibration: what the conversion was given; empty: it made inputs up. The layers' own
  // errors come from there, as in the conversion, which smoothed for lhs_steps (quantize/smoothing.h).
  LayerTable(Graph fused, const DimPlan& dims, const std::vector<std::vector<Tensor>>& calibration,
             const std::optional<PaddingMask>& padding, double lhs_steps);

  // sets: inputs that the blob takes. Worst accumulated first; see accumulated_error.h for what is left out.
  std::vector<LayerError> errors(BlobRunner& runner, const std::vector<std::vector<Tensor>>& sets) const;

 private:
  Graph graph_;
  std::optional<PaddingMask> padding_;
  std::map<std::string, double> local_;
};

}  // namespace edgeconv
