// What a conversion did, as JSON: --json and --report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "convert/result/convert_result.h"
#include "convert/report/memory_table.h"
#include "convert/report/memory_timeline.h"

namespace edgeconv {

// Schema version 1, documented in cli/json_schemas/convert.schema.json: the model and its blob, fusions, the layers worst first with what is known of
// each, the plans that the search for precisions measured, RAM at a few dims and op by op at the largest, errors of the outputs against the named
// reference. null stands for infinite decibels (equal) and for what was not measured.
struct ReportContext {
  std::string command, output;  // as they were given
};
nlohmann::ordered_json report_json(const ConvertResult& r, const MemoryTable& memory, const MemoryTimeline& timeline,
                                   const std::vector<MemoryCurve>& curves, const ReportContext& context);

}  // namespace edgeconv
