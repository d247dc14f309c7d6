// RAM and multiplications of a blob at a few settings of its dims, by the runtime's own formulas.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

struct MemoryTable {
  struct Row {
    std::vector<std::pair<std::string, int32_t>> dims;
    size_t bytes;
    uint64_t macs, steps, largest_op_steps;  // ert_work
  };
  std::vector<Row> rows;
};

// Rows from small dims to all maxima, which come last. Where dims are asked for, one row: the others at their minimum; a name or
// a value that the blob does not have throws FatalError(kUsage).
MemoryTable memory_table(const Tensor& blob, const std::map<std::string, int64_t>& asked);
MemoryTable memory_table(const BlobRunner& runner, const std::map<std::string, int64_t>& asked);

// The RAM over one dim, from its minimum to its maximum, the others at their maxima. One for each dim that can change.
struct MemoryCurve {
  std::string dim;
  std::vector<std::pair<int32_t, size_t>> points;  // value, arena bytes
};
std::vector<MemoryCurve> memory_curves(const BlobRunner& runner);
nlohmann::ordered_json curves_json(const std::vector<MemoryCurve>& curves);  // [{"dim", "points": [{"value", "arena_bytes"}]}]

std::string memory_text(const MemoryTable& table);  // one "RAM ..." line per row
nlohmann::ordered_json memory_json(
    const MemoryTable& table);  // [{"dims": {}, "arena_bytes", "macs", "steps", "largest_op_steps"}]

// "1.23 MB", decimal units.
std::string human_bytes(double bytes);
// "345 MMAC"
std::string human_macs(double macs);

}  // namespace edgeconv
