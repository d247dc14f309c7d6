// Real inputs from files: for calibration (--calib), and for the comparison of a blob with its model (validate --data).
#pragma once

#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/dims/dims.h"

namespace edgeconv {

constexpr int64_t kCalibrationSamples = 128, kAllSamples = 0;

struct SampleSource {
  std::string option;  // that named the files, for messages
  std::string path;
  int64_t most = kAllSamples;  // more are thinned out evenly, with a warning
  std::vector<std::string> declared =
      {};  // all inputs of the file; those that the graph lacks are pinned or cut away, and what is recorded for them is ignored
};

// path is an .npz with one array per input, or a folder: NAME.npy per input, or input_K.pb, or subfolders of either. The leading
// axis of an array counts samples: it is the input's own leading axis, or comes before all of them. Returns sets of one tensor
// per graph input, no dim above its maximum, in the order of the files (subfolders by name) and of the rows in them. Where the
// leading axis is the model's own a set has at most 8 rows, unless indices among the inputs may refer to other rows.
// Where the model keeps states (DimPlan::kept_states) sets are the frames of one stream, subfolders by the number in their names. Each has the states that the model itself
// gave in the one before, from zeros on; what is recorded for them is not used, which a warning says.
// Throws FatalError: kIo, kMalformed for what does not fit the model, kUsage for dims above the maximum.
std::vector<std::vector<Tensor>> read_samples(const SampleSource& source, const Graph& g, const DimPlan& dims, Diagnostics& d);

}  // namespace edgeconv
