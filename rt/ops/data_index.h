// Indices that come from data: the only faults that an op can meet while running.
#pragma once

#include <stdint.h>

namespace ert::ops {

// Negative counts from the end. False if out of range.
inline bool resolve_index(int32_t raw, int64_t size, int64_t* index) {
  *index = raw < 0 ? raw + size : raw;
  return *index >= 0 && *index < size;
}

}  // namespace ert::ops
