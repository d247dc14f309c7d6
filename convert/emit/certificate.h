// The certificate stored in a blob: what was converted, how, and how far its results are from fp32.
#pragma once

#include <string>
#include <vector>

#include "convert/report/compare.h"

namespace edgeconv {

struct ConvertOptions;
struct ConvertResult;

// JSON, schema version 1: {"version", "producer", "source_sha256", "opset", "precision", "calibration", "attention", "padding": "zero" or "compute", "fusions", "layers":
// [{"name", "k", "n", "precision", "local_sqnr_db"}], "outputs": [{"name", "cosine", "max_abs", "sqnr_db", "argmax_agreement"}]}.
// errors: against the canonical interpreter. Holds no date and no path, so that equal conversions give equal bytes.
std::string certificate_json(const ConvertResult& r, const ConvertOptions& o, const std::vector<OutputError>& errors);

}  // namespace edgeconv
