// Changes to blobs that keep their checksums right, so that what is behind the checksums is tried: fields of the header, bytes of the metadata, and the
// program itself, after which the memory plan is made anew as often as not.
#pragma once

#include "tests/fuzz/target.h"

namespace ert::fuzz {

bool mutate_blob(Bytes* bytes, RandomNumbers* random);

// The same, bytes of the metadata more often than the program: several times as many a second, and fewer that open accepts.
bool mutate_blob_quickly(Bytes* bytes, RandomNumbers* random);

}  // namespace ert::fuzz
