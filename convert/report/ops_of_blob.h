// The ops of a blob's program, those inside a RowBands too.
#pragma once

#include <functional>
#include <vector>

#include "rt/schema/program_generated.h"

namespace edgeconv {

struct OpOfBlob {
  uint16_t code;
  std::vector<int32_t> inputs;  // values of the program; -1: absent, or a value that only the RowBands has
};

// In the order in which they run; a RowBands comes before what is in it.
std::vector<OpOfBlob> ops_of_blob(const ert::fb::Program& p);

}  // namespace edgeconv
