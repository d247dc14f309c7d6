// NaN equals NaN, whatever payloads the two have (NUMERICS.md): what is compared has one.
#pragma once

#include <string.h>

#include <limits>
#include <vector>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {

inline std::vector<std::vector<uint8_t>> one_nan(std::vector<std::vector<uint8_t>> bytes, const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (size_t at = 0; outputs[i].dtype == ERT_F32 && at < bytes[i].size(); at += sizeof(float)) {
      float v;
      memcpy(&v, &bytes[i][at], sizeof v);
      if (v != v) v = std::numeric_limits<float>::quiet_NaN();
      memcpy(&bytes[i][at], &v, sizeof v);
    }
  }
  return bytes;
}

}  // namespace ert::test
