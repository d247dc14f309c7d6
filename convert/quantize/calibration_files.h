// --calib: real inputs for smoothing factors and for the comparison at the end of a conversion.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/plan/dims.h"

namespace edgeconv {

// path is an .npz with one array per input, or a folder: NAME.npy per input, or input_K.pb, or subfolders of either. The leading
// axis of an array counts samples: it is the input's own leading axis, or comes before all of them. Returns sets of one tensor
// per graph input, no dim above its maximum; at most 128 samples, spread evenly. Throws FatalError: kIo, kMalformed for what does
// not fit the model, kUsage for dims above the maximum.
std::vector<std::vector<Tensor>> read_calibration(const std::string& path, const Graph& g, const DimPlan& dims, Diagnostics& d);

}  // namespace edgeconv
