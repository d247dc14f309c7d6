// The certificate stored in a blob: what was converted, how, and how far its results are from the reference.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "convert/import_graph/cut.h"
#include "convert/import_graph/pinning.h"
#include "convert/ir/tensor.h"
#include "convert/measure/compare.h"

namespace edgeconv {

struct ConvertOptions;
struct ConvertResult;

// What the figures of a certificate were measured on.
struct MeasuredOn {
  bool user = false;  // the user's inputs, not made-up ones
  size_t sets = 0;
  bool steps = false;  // one after another, with the states that the model gave itself
  std::string sha256;  // inputs_sha256 of them
  std::string mask;    // input whose elements `padding` mark positions that do not count; empty: all count
  int32_t padding = 0;
  bool chaotic = false;  // samples on which the fp32 model is chaotic were looked for, found and left out
};

// SHA-256 over types, shapes and contents, in hexadecimal.
std::string inputs_sha256(const std::vector<std::vector<Tensor>>& sets);

// JSON, schema version 1: {"version", "producer", "source_sha256", "reference", "opset", "precision", "overrides": ["GLOB=..."],
// "target_cosine", "calibration": "synthetic" or "user", "attention", "tables", "padding": "zero" or "compute",
// "fixed_dims": {name: n} and "pinned_inputs": [{"name", "position" among the file's inputs, "dtype", "shape", "value" as text or null,
// "sha256" of import_graph/pinning.h}] (only where something was pinned), "chosen_outputs": [name] and
// "cut_inputs": [{"name", "position" among the file's inputs}] (only with --outputs), "measured_on":
// {"inputs": "synthetic" or "user", "sets", "sha256", "uncounted": {"mask", "padding"} or null; "chaotic": true where samples were left out}, "fusions", "layers": [{"name", "k", "n",
// "precision", "local_sqnr_db", "accumulated_sqnr_db"}], "outputs": [{"name", "cosine" (null: no evidence), "max_abs", "sqnr_db",
// "argmax_agreement"; "chaotic_samples" where some were left out; "evidence" where the reference does not move; "decided_by" and "decided_cosine" where that is not the value;
// "scores_before" where figures are of the scores that classes are chosen by: "ArgMax, axis -1"}]}.
// On made-up inputs sqnr_db is that of the worst tenth of samples, and of few of them less (DecidedBy::by_worst_tenth).
// errors: against the canonical interpreter. Holds no date and no path, so that equal conversions give equal bytes.
std::string certificate_json(const ConvertResult& r, const ConvertOptions& o, const std::vector<OutputError>& errors);

// The entry "pinned_inputs".
nlohmann::ordered_json pinned_inputs_json(const std::vector<PinnedInput>& pinned);

// The entry "cut_inputs".
nlohmann::ordered_json cut_inputs_json(const std::vector<CutInput>& cut);

// As certificates hold figures: decibels with two decimals, all else with six; null where nothing was measured, or nothing differs.
std::optional<double> certified_decibels(double db);
std::optional<double> certified_figure(double v);

}  // namespace edgeconv
