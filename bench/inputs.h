// Plausible inputs for a model that nobody described: the same bytes in every run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rt/include/ert.h"

namespace ert::bench {

struct InputData {
  std::string name;
  uint32_t dtype = 0;
  std::vector<int32_t> shape;
  std::vector<uint64_t> storage;  // 8-aligned
  size_t bytes = 0;
  ert_tensor tensor() const;
};

// One tensor per input for these dims (in the model's order), by name and allowed range:
//   the mask of a blob that skips padding                      its mark of a token
//   masks (the name holds "mask", the range is 0..1, or bool)  ones
//   token types                                                zeros
//   lengths                                                    the largest dim that is not an axis of the input itself
//   other integers                                             uniform in the allowed range, at most 2^20
//   floats                                                     about standard normal
std::vector<InputData> make_inputs(const ert_model& m, const std::vector<int32_t>& dims);  // throws Failure

}  // namespace ert::bench
