// Whether the core's clock held still: times of a loop that is nothing but arithmetic, taken between measurements.
#pragma once

#include <string>
#include <vector>

namespace ert::bench {

// Least of a few tries, so that other programs' turns on the core do not count; about 2 ms.
double clock_loop_us();

// What to warn of, given the loop's times: more than a tenth between the least and the most. Empty if all is well.
std::string clock_warning(const std::vector<double>& loop_us);

}  // namespace ert::bench
