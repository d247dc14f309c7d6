// What a user asks of a conversion.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/dims/kept_states.h"
#include "convert/ir/graph.h"
#include "convert/ir/tensor.h"
#include "convert/precision/request.h"
#include "convert/prepare/prepare.h"
#include "convert/program/row_bands.h"
#include "convert/program/weight_layout.h"

namespace edgeconv {

// What a conversion must keep to; otherwise it ends with exit 7 and writes nothing. Zero: no such gate.
struct Gates {
  double max_loss = 0;      // 1 - cosine of the worst output; also what automatic precision climbs to
  double max_slowdown = 0;  // work of all layers relative to int8: precision/cost.h
  uint64_t max_bytes = 0;   // of the file
};

struct ConvertOptions {
  std::vector<std::string> words;       // what asked for all this, but --calib and messages: for advice. The model is the first
  std::map<std::string, int64_t> dims;  // --dim
  std::vector<StateNames> states;       // --state
  PrecisionRequest precision;           // --precision
  PrepareOptions prepare;               // --concat, --custom-op, --dump-graph
  Gates gates;                          // --max-loss, --max-slowdown, --max-bytes
  bool allow_accuracy_loss = false;
  std::vector<std::vector<Tensor>> calibration;  // one tensor per input; empty: synthetic
  std::string calibration_files;                 // --calib: read into calibration; empty: none
  bool compress = false;                         // --compress zstd
  bool skip_padding = true;                      // --padding: where it is proved to change nothing else
  WeightTarget target = kWeightTargets[0];       // --target
  BandUse bands = BandUse::kAuto;                // --bands
  std::optional<MapUse> maps;                    // --maps; empty: auto
  int golden = 1;                                // golden vectors in the blob
  bool golden_asked = false;                     // --golden: they take what they take
  std::string tokenizer;                         // --tokenizer: a file or a model's folder; empty: none
  TaskSettings task;                             // --task, --labels, --pooling, --normalize, --max-tokens: wins over the folder
  uint32_t security_counter = 0;                 // --security-counter: devices refuse lower ones than they want
  std::function<void(const std::string& stage, double fraction)> progress;  // may be empty
};

}  // namespace edgeconv
