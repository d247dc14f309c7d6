// A small blob for each runtime op, all inputs and outputs at the boundary, but of 8-bit maps, which no boundary has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/blob_builder.h"

namespace ert::fuzz {

std::vector<std::pair<std::string, testing::BlobSpec>> op_programs();
std::vector<std::pair<std::string, testing::BlobSpec>> map_programs();  // map_seeds.cc: ops over 8-bit maps
std::vector<std::pair<std::string, testing::BlobSpec>> band_programs();  // band_seeds.cc: chains in bands of rows

}  // namespace ert::fuzz
