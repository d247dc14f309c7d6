// Dims that leave every operator something to work on: the runtime has no empty tensors, and a convolution needs a window.
#pragma once

#include "convert/dims/dims.h"

namespace edgeconv {

// Sets the smallest value of every dim for which the graph has no empty tensor: fused graphs may allow smaller ones. Throws
// FatalError: kUsage where the maxima are too small already, kUnsupported where no size fits.
void find_minima(const Graph& g, DimPlan& plan);

// Lowers the maximum of the one dim that is too large for the model. requested: as of plan_dims; throws FatalError(kUsage) for these.
void find_maxima(const Graph& g, const std::map<std::string, int64_t>& requested, DimPlan& plan);

}  // namespace edgeconv
