// What `edgeconv run` runs: one set of inputs, or, of a blob that keeps states, frames that follow each other.
#pragma once

#include <string>
#include <vector>

#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

struct Frames {
  std::vector<Frame> inputs;
  bool stacked = false;              // along the leading axis of the arrays; so are the outputs
  std::vector<std::string> folders;  // of each frame, below the folder of the data; empty where it is one set
};

// all: read_npy_inputs or read_npz_inputs. An array with one axis more than its input has frames along that axis, which must be as many in all such
// arrays; the others hold in every frame. Throws FatalError(kUsage).
Frames frames_of(const Frame& all, const std::vector<BoundaryInfo>& inputs);

// A folder of input_K.pb, or, where the blob keeps states, of folders of them: frames, in the order of the numbers in their names.
Frames read_pb_frames(const std::string& folder, const std::vector<BoundaryInfo>& inputs,
                      const std::vector<std::string>& declared);

// One array of all frames' results, with their axis in front. Throws FatalError(kUsage) where their shapes differ.
Tensor stacked(const std::vector<std::vector<Tensor>>& results, size_t output, const std::string& name);

}  // namespace edgeconv::cli
