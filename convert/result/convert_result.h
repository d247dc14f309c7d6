// What a conversion found out and made: the blob, and everything that summaries, reports and gates say about it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "convert/import_graph/import_model.h"
#include "convert/ir/tensor.h"
#include "convert/measure/compare.h"
#include "convert/precision/kept_saturation.h"
#include "convert/precision/search.h"
#include "convert/prepare/raw_inputs.h"
#include "convert/result/certificate.h"
#include "convert/result/conversion_cost.h"
#include "convert/task/task.h"

namespace edgeconv {

struct DimReport {
  std::string name;
  int32_t min, max;
};

// Why a result is not written.
struct Refusal {
  std::string what, advice;
};

// What was found out about a layer; the plan says how it is computed.
struct LayerReport : LayerSensitivity {
  bool as_quick_in_fp32 = false;           // and so it is: set_free_layers in precision/cost.h
  double accumulated_sqnr_db = kNotKnown;  // its output in the blob against fp32, with the errors of all layers before it
};

struct ConvertResult {
  std::vector<RawInput> raw_inputs;  // --input-scale, with the types
  TaskSettings task;                     // with nothing left open; kind is empty without a tokenizer
  std::vector<std::string> text_facts;   // what a model's folder said of it, a line each
  uint64_t tokenizer_bytes = 0;          // of its tables in the blob
  uint64_t golden_bytes = 0;             // of golden vectors
  Tensor blob;                       // as ert_model_open wants it
  Tensor packed;                     // the same compressed; empty when not asked for
  ModelInfo model;
  std::vector<std::pair<std::string, int>> fusions;  // pass -> matches
  PrecisionPlan plan;                                // as written
  std::vector<LayerReport> layers;                   // worst first
  PrecisionRequest request;                          // as it was done: without a comparison auto becomes w8a16
  double slowdown = 1;                               // work of all layers relative to int8
  bool gives_features = false;                       // to another network (precision/chain.h)
  std::optional<Shortfall> shortfall;                // auto: nothing within the budget of the gates keeps to the target
  std::vector<Trial> trials;                         // what auto tried, in this order; empty when nothing was tried
  bool skips_padding = false;                        // padded positions are not computed, and zero in outputs
  std::string mask;                                  // then: the input that marks them
  std::vector<DimReport> dims;
  std::vector<OutputError> errors;        // blob against the fp32 interpreter
  std::set<std::string> still_outputs;    // that no input reaches: they are what they are
  std::vector<std::string> not_compared;  // outputs that depend on custom operators
  std::string error_inputs;               // what the errors were measured on: inputs/inputs_text.h
  std::string calib_command;              // the line that gives recorded inputs; empty when they were given
  std::vector<std::string> untaken;       // what no input took, in words
  SourceRounding source_rounding;         // what came of the roundings of a file that is quantized statically
  std::string reference;                  // what the blob was compared with: prepare/reference.h
  MeasuredOn measured_on;
  size_t ops = 0;
  std::vector<std::string> warnings;
  ConversionCost cost;
  std::optional<Refusal> refusal;  // the gate or limit that it misses

  // What goes into the file.
  const Tensor& stored() const { return packed.bytes() ? packed : blob; }
};

}  // namespace edgeconv
