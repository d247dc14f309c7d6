// What `edgeconv run` gives: files, a view for people, a JSON document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv::cli {

struct NamedResult {
  std::string name;
  Tensor value;
  std::vector<std::string> files;  // that it was written to
};

// For people: name, type, shape, the first values; of vectors of up to some thousand values that are like scores also the largest, with their places.
std::string results_text(const std::vector<NamedResult>& results);

// {"version": 1, "outputs": [{"name", "dtype", "shape", "file" or "data"}]}; "data" holds the values, row by row, of what was not written.
nlohmann::ordered_json results_json(const std::vector<NamedResult>& results);

// One array of all frames' results for an output, with their axis in front. Throws FatalError(kUsage) where their shapes differ.
Tensor stacked(const std::vector<std::vector<Tensor>>& frames, size_t output, const std::string& name);

}  // namespace edgeconv::cli
