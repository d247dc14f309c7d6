// --plot: latency over length as a picture, without scripts and network.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace ert::bench {

// Asked before anything is measured. Throws Failure, 2: the name ends neither in .svg nor in .html, or no dim has two sizes.
void check_plot(const std::string& path, const std::vector<std::map<std::string, int32_t>>& shapes);

// A line for each blob, thread count and other dims; across stands the dim that has most sizes. Both axes are logarithmic where sizes span a factor of 8.
// table: what an .html shows below the picture. Throws Failure, 6, where the file cannot be written.
void write_plot(const std::string& path, const std::vector<std::string>& blobs, const std::vector<Result>& results,
                const std::string& title, const std::vector<std::vector<std::string>>& table);

}  // namespace ert::bench
