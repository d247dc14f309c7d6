// Builds double arrays, the tries that rt/text/double_array.h walks through.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace edgeconv::text {

// Keys are not empty and have no zero byte; values are below 2^31. Throws FatalError(kLimit) if there are too many.
std::vector<uint32_t> double_array(const std::map<std::string, uint32_t>& keys);

}  // namespace edgeconv::text
