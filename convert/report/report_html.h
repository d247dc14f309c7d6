// The report of a conversion as a page that needs nothing else: no network, no files beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace edgeconv {

// report: of report_json. The page carries it whole and draws its tables and bars from it.
std::string report_html(const nlohmann::ordered_json& report);

}  // namespace edgeconv
