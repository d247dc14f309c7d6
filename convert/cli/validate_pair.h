// What `edgeconv validate` compares: a blob, and the model that it came from, prepared as its conversion did.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/cli/blob_file.h"
#include "convert/cli/pin_option.h"
#include "convert/cli/progress.h"
#include "convert/dims/dims.h"
#include "convert/files/json.h"
#include "convert/measure/token_mask.h"
#include "convert/prepare/prepare.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

struct ValidateArguments {
  std::string model, blob, calibration, labels, label_output, metric = "auto", memory_limit, progress = "auto";
  std::vector<std::string> data, concat, custom_ops;
  PinOptions pins;
  bool json = false;
};

// What all parts look at.
struct Pair {
  Pair(const ValidateArguments& o, Progress& progress);

  BlobFile file;
  BlobRunner runner;
  PreparedModel model;
  Graph fused;
  std::vector<std::string> inputs, outputs;
  Json certificate;
  std::optional<PaddingMask> padding;
  DimPlan dims;
  std::vector<std::vector<Tensor>> calibration;  // of --calib
};

}  // namespace edgeconv::cli
