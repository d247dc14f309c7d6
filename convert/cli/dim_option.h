// --dim NAME=N, as convert and inspect take it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace edgeconv::cli {

// Throws FatalError(kUsage) for a text that is not NAME=N.
std::map<std::string, int64_t> parse_dims(const std::vector<std::string>& texts);

}  // namespace edgeconv::cli
