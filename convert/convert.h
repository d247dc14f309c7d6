// The whole way from an ONNX file to the bytes of a blob, without any printing: cli/ shows what is in the result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/emit/certificate.h"
#include "convert/emit/weight_layout.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/tensor.h"
#include "convert/onnx/import_model.h"
#include "convert/prepare.h"
#include "convert/quantize/ladder.h"
#include "convert/report/compare.h"

namespace edgeconv {

// What a conversion must keep to; otherwise it ends with exit 7 and writes nothing. Zero: no such gate.
struct Gates {
  double max_loss = 0;      // 1 - cosine of the worst output; also what automatic precision climbs to
  double max_slowdown = 0;  // work of all layers relative to int8: ladder.h
  uint64_t max_bytes = 0;   // of the file
};

struct ConvertOptions {
  std::map<std::string, int64_t> dims;  // --dim
  PrecisionRequest precision;           // --precision
  PrepareOptions prepare;               // --concat, --custom-op
  Gates gates;                          // --max-loss, --max-slowdown, --max-bytes
  bool allow_accuracy_loss = false;
  std::vector<std::vector<Tensor>> calibration;  // one tensor per input; empty: synthetic
  std::string calibration_files;                 // --calib: read into calibration; empty: none
  bool compress = false;                         // --compress zstd
  bool skip_padding = true;                      // --padding: where it is proved to change nothing else
  WeightTarget target = kWeightTargets[0];       // --target
  int golden = 1;                                // golden vectors in the blob
  std::function<void(const std::string& stage, double fraction)> progress;  // may be empty
};

struct DimReport {
  std::string name;
  int32_t min, max;
};

// Why a result is not written.
struct Refusal {
  std::string what, advice;
};

struct ConvertResult {
  Tensor blob;    // as ert_model_open wants it
  Tensor packed;  // the same compressed; empty when not asked for
  ModelInfo model;
  std::vector<std::pair<std::string, int>> fusions;  // pass -> matches
  std::vector<LayerReport> layers;                   // worst first
  PrecisionMode mode = PrecisionMode::kAuto;         // as it was done: without a comparison auto becomes w8a16
  double target_cosine = 0;                          // of auto
  double slowdown = 1;                               // work of all layers relative to int8
  std::optional<Shortfall> shortfall;                // auto: nothing within the budget of the gates keeps to the target
  std::vector<LadderStep> ladder;                    // what auto tried, in this order; empty when nothing was tried
  bool int8_attention = true, int8_tables = true;
  bool skips_padding = false;  // padded positions are not computed, and zero in outputs
  std::string mask;            // then: the input that marks them
  std::vector<DimReport> dims;
  std::vector<OutputError> errors;        // blob against the fp32 interpreter
  std::vector<std::string> not_compared;  // outputs that depend on custom operators
  std::string error_inputs;               // "synthetic inputs" or "calibration inputs"
  std::string reference;                  // what the blob was compared with: report/reference.h
  MeasuredOn measured_on;
  size_t ops = 0;
  std::vector<std::string> warnings;
  std::optional<Refusal> refusal;  // the gate or limit that it misses

  // What goes into the file.
  const Tensor& stored() const { return packed.bytes() ? packed : blob; }
};

// A conversion that came to its end and misses a gate: the result is complete, for reports, but must not be used.
class GateMissed : public FatalError {
 public:
  GateMissed(ConvertResult missed, std::string more);
  std::shared_ptr<const ConvertResult> result;
  std::string notes;  // what else a user should know: warnings
};

// "WHAT; WRITTEN.", the advice, and the notes.
std::string refusal_text(const Refusal& r, const std::string& written, const std::string& notes);

// Output cosines below these warn and fail.
constexpr double kWarnCosine = 0.999, kFailCosine = 0.99;

// Throws FatalError with the exit code (ir/diagnostics.h); GateMissed (kAccuracy) where the result misses a gate.
ConvertResult convert_model(const std::string& path, const ConvertOptions& options);

}  // namespace edgeconv
