// What golden vectors are in the file (rt/schema/README.md, Golden vectors): golden.h makes them, blob.h writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/blob/blob.h"

namespace edgeconv {

// Inputs then outputs of one vector, each aligned, in one buffer, and where each is: whole, or by recipes, which all vectors of a blob
// have or none.
std::string golden_segment(const GoldenVector& v, bool recipes, std::vector<uint64_t>& offsets);

bool has_recipes(const BlobMeta& meta);

}  // namespace edgeconv
