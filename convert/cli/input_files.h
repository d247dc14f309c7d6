// Inputs of a run from files, in the order of the model's inputs.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv::cli {

// texts: NAME=FILE.npy. Every name must be given once. Throws FatalError(kUsage) for missing, unknown or double names.
std::vector<Tensor> read_npy_inputs(const std::vector<std::string>& texts, const std::vector<std::string>& names);

// All input_K.pb of a folder, matched by the tensor's name; a nameless tensor takes the K-th input. declared: all inputs of the model's file, with those
// that are pinned or cut away: what is recorded for them is not used, with one line on stderr.
std::vector<Tensor> read_pb_inputs(const std::string& folder, const std::vector<std::string>& names,
                                   const std::vector<std::string>& declared);

}  // namespace edgeconv::cli
