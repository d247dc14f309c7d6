// What a conversion did, as text for people; report_json.h has the rest.
#pragma once

#include <string>

#include "convert/result/convert_result.h"
#include "convert/report/memory_table.h"

namespace edgeconv {

// One screen: what was fused, sizes, RAM and multiplications, precision with the layers that were lifted, accuracy. verbose: every
// layer.
std::string summary_text(const ConvertResult& r, const MemoryTable& memory, const std::string& output, bool verbose);

}  // namespace edgeconv
