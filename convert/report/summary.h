// What a conversion did, as text for people and as JSON for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "convert/convert.h"

namespace edgeconv {

// Exact RAM need by the runtime's own formula at a few settings of the dims, the last row at all maxima.
struct MemoryTable {
  struct Row {
    std::vector<std::pair<std::string, int32_t>> dims;
    size_t bytes;
    uint64_t macs;
  };
  std::vector<Row> rows;
};
MemoryTable memory_table(const Tensor& blob);

// "1.23 MB", decimal units.
std::string human_bytes(double bytes);

std::string summary_text(const ConvertResult& r, const MemoryTable& memory, const std::string& output, bool verbose);

// Schema version 1: {"version", "output", "source_bytes", "blob_bytes", "stored_bytes", "compression", "opset", "dims": [{"name","min","max"}], "fusions": {},
// "ops", "padding": {"skipped", "mask"}, "layers": {"int8","w8a16","fp32"}, "memory": [{"dims": {}, "arena_bytes", "macs"}], "outputs": [{"name","cosine",
// "max_abs","sqnr_db","argmax_agreement"}], "not_compared": [], "compared_on", "warnings": []}
nlohmann::ordered_json summary_json(const ConvertResult& r, const MemoryTable& memory, const std::string& output);

}  // namespace edgeconv
