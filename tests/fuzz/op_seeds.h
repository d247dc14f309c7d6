// A small blob for each runtime op, all inputs and outputs at the boundary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/blob_builder.h"

namespace ert::fuzz {

std::vector<std::pair<std::string, testing::BlobSpec>> op_programs();

}  // namespace ert::fuzz
