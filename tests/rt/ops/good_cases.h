// Cases that prepare accepts: where tests that change something start.
#pragma once

#include <vector>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {

// One case of every op, in the order of op_list.inc.
std::vector<OpCase> good_cases();

// Other forms of some: quantized weights, packed rows, other types, all directions of a recurrence.
std::vector<OpCase> further_cases();

}  // namespace ert::test
