// Constants of ops that fill: 32 bits in the blob, read as the output's dtype.
#pragma once

#include "rt/ops/operand_checks.h"

namespace ert::ops {

// One-byte dtypes take the low byte; bool is 1 for any nonzero bits.
inline uint8_t byte_of_bits(const Operand& out, int32_t bits) {
  return is_bool(out) ? static_cast<uint8_t>(bits != 0) : static_cast<uint8_t>(static_cast<uint32_t>(bits) & 0xff);
}

// Sets elements [first, last) of out.
inline void fill_elements(const Operand& out, int64_t first, int64_t last, int32_t bits) {
  if (element_bytes(out) == 4) {
    Word32* dst = out.mut<Word32>();
    for (int64_t i = first; i < last; ++i) dst[i] = static_cast<Word32>(bits);
  } else {
    uint8_t* dst = out.mut<uint8_t>();
    for (int64_t i = first; i < last; ++i) dst[i] = byte_of_bits(out, bits);
  }
}

}  // namespace ert::ops
