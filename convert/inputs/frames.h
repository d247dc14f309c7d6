// Inputs of runs that follow each other: frames of a stream, for a model that keeps states.
#pragma once

#include <string>
#include <vector>

#include "convert/run/blob_runner.h"

namespace edgeconv {

struct Frames {
  std::vector<Frame> inputs;
  bool stacked = false;              // along the leading axis of the arrays; so are the outputs
  std::vector<std::string> folders;  // of each frame, below the folder of the data; empty where it is one set
};

bool keeps_states(const std::vector<BoundaryInfo>& inputs);

// all: an array for each input, or none for a state. Where a state is kept, an array with one axis more than its input has frames along that axis, which must be as many
// in all such arrays; the others hold in every frame. Throws FatalError(kUsage).
Frames frames_of(const Frame& all, const std::vector<BoundaryInfo>& inputs);

// Sorts names of folders: "frame_10" behind "frame_9", by the last number of the name, then by the name.
void put_in_order(std::vector<std::string>& names);

}  // namespace edgeconv
