// --dim NAME=N, as convert, inspect and export take it, and --fix NAME=N.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace edgeconv::cli {

// Throws FatalError(kUsage) for a text that is not NAME=N.
std::map<std::string, int64_t> parse_dims(const std::vector<std::string>& texts, const std::string& flag = "--dim");

}  // namespace edgeconv::cli
