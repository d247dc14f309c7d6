// What a conversion did, as text for people and as JSON for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "convert/convert.h"
#include "convert/report/memory_table.h"

namespace edgeconv {

// One screen: what was fused, sizes, RAM and multiplications, precision with the layers that were lifted, accuracy. verbose: every
// layer.
std::string summary_text(const ConvertResult& r, const MemoryTable& memory, const std::string& output, bool verbose);

// Schema version 1: {"version", "output", "source_bytes", "blob_bytes", "stored_bytes", "compression", "opset", "dims": [{"name","min","max"}], "fusions": {},
// "ops", "padding": {"skipped", "mask"}, "layers": {"int8","w8a16","fp32"}, "slowdown", "layer_table": [{"name","k","n","precision","asked","local_sqnr_db"}], "memory": [{"dims": {}, "arena_bytes", "macs"}], "outputs": [{"name","cosine",
// "max_abs","sqnr_db","argmax_agreement"}], "not_compared": [], "compared_on", "warnings": []}
nlohmann::ordered_json summary_json(const ConvertResult& r, const MemoryTable& memory, const std::string& output);

}  // namespace edgeconv
