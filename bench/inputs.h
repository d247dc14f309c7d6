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

// One tensor per input for these dims, in the model's order. Their values: input_values.h.
std::vector<InputData> make_inputs(const ert_model& m, const std::vector<int32_t>& dims);  // throws Failure

}  // namespace ert::bench
