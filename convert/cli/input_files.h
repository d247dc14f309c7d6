// Inputs of a run from files, in the order of the model's inputs.
#pragma once

#include <string>
#include <vector>

#include "convert/inputs/frames.h"
#include "convert/ir/tensor.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

// texts: NAME=FILE.npy or NAME=1,2,3 (typed_input.h). Every input must be given once; only states may be left out. Throws FatalError(kUsage) for missing, unknown or double names.
Frame read_npy_inputs(const std::vector<std::string>& texts, const std::vector<BoundaryInfo>& inputs);

// An archive with one array for each input; arrays of inputs that are pinned or cut away (declared), and of states, are not used,
// with one line on stderr. Throws as read_npy_inputs.
Frame read_npz_inputs(const std::string& path, const std::vector<BoundaryInfo>& inputs, const std::vector<std::string>& declared);

// All input_K.pb of a folder, matched by the tensor's name; a nameless tensor takes the K-th input. declared: all inputs of the model's file, with those
// that are pinned or cut away: what is recorded for them is not used, with one line on stderr.
std::vector<Tensor> read_pb_inputs(const std::string& folder, const std::vector<std::string>& names,
                                   const std::vector<std::string>& declared);
// Of a blob: the same folder, or, where the blob keeps states, one of such folders: frames, in the order of the numbers in their names. What is recorded for
// states is not used, with one line on stderr.
Frames read_pb_frames(const std::string& folder, const std::vector<BoundaryInfo>& inputs,
                      const std::vector<std::string>& declared);

}  // namespace edgeconv::cli
