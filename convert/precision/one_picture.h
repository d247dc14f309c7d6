// What single layers do to the outputs for one made-up picture: enough for an order of layers, where a set has several pictures and networks take long.
#pragma once

#include <vector>

#include "convert/dims/dims.h"
#include "convert/ir/graph.h"
#include "convert/precision/measured_outputs.h"

namespace edgeconv {

class OnePicture {
 public:
  // Whether pictures are all that the model reads, and one of them is less work than this set.
  static bool suffices(const Graph& original, const DimPlan& dims, const std::vector<Tensor>& set);

  // Runs the model.
  OnePicture(const Graph& original, const DimPlan& dims);
  // Of the worst output, against ert's own kernels.
  double loss(const Tensor& blob) const;

 private:
  MeasuredOutputs outputs_;
  std::vector<Tensor> inputs_, reference_;
};

}  // namespace edgeconv
