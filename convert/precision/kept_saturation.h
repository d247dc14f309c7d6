// A statically quantized file clips its activations, where their values leave the ranges that its calibration found, or where an activation was dropped
// because of that. It is converted without its roundings. What it clips is left out too where that changes the outputs by no more than the rounding does,
// because layers are quicker then, and stays where it changes more.
#pragma once

#include <string>
#include <vector>

#include "convert/dims/dims.h"
#include "convert/measure/accuracy.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct SourceRounding {
  int clipped = 0;                  // roundings whose clipping stays
  std::vector<OutputError> errors;  // the model that is converted, against the file as it is
};

// Runs the file as it is (prepare/as_quantized.h) on some of the calibration inputs, or on made-up ones where there are none, and makes `graph`,
// which has no roundings, what is converted.
SourceRounding keep_saturation(const Graph& as_quantized, Graph& graph, const DimPlan& dims, const std::vector<std::vector<Tensor>>& calibration);

}  // namespace edgeconv
