// The metadata's FlatBuffers tables: part of verify_structure.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/blob/program.h"

namespace ert {

// Sets *root to the Program at the start of `bytes` bytes of metadata, which may be any and are aligned as a blob is. False unless every field, entry
// and element of it and of the tables below it lies inside, is aligned, and is what C callers may see of it: names end where they say. At most
// `most_tables` tables.
bool verify_tables(const uint8_t* metadata, size_t bytes, uint32_t most_tables, const fb::Program** root);

}  // namespace ert
