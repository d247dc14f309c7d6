// First half of opening a blob: is it safe to read its metadata, and are its bytes the ones that were written?
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/blob/header.h"
#include "rt/blob/program.h"

namespace ert {

struct Structure {
  Header header;
  const fb::Program* root = nullptr;
};

// Checks header, checksums, FlatBuffers structure and segment table of `bytes` bytes at `blob` (aligned as required). Reads
// every byte once. Returns OK and fills *out, or TRUNCATED, MAGIC, ENDIAN, VERSION, CHECKSUM, FORMAT, LIMIT.
ert_status verify_structure(const uint8_t* blob, size_t bytes, Structure* out);

}  // namespace ert
