// From the bytes of a blob back to the program of blob_builder.h, so that it can be changed and built anew with checksums that fit.
#pragma once

#include "tests/support/blob_builder.h"

namespace ert::fuzz {

// False where the blob's structure is refused.
bool read_spec(const uint8_t* data, size_t bytes, testing::BlobSpec* spec);

}  // namespace ert::fuzz
