// The folders of model fixtures: where they are, the tensors in their data sets, and how far a result is from a recorded one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv::testing {

namespace fs = std::filesystem;

// The repository's own subset when EDGECONV_FIXTURES names it, otherwise the full set.
std::optional<fs::path> fixture_root();

std::vector<fs::path> sorted_folders(const fs::path& root, bool (*wanted)(const std::string&));
bool is_data_set(const std::string& name);

// --dim options for the dims that have no default maximum: max_dims in the fixture's meta.json.
std::vector<std::string> dim_options(const fs::path& fixture);

// prefix0.pb, prefix1.pb, ... as (name, contents).
std::vector<std::pair<std::string, Tensor>> read_all(const fs::path& folder, const std::string& prefix);

// One flag per element of the output: does it count? An output of shape [batch, sequence, ...] counts where attention_mask is 1.
std::vector<char> counted(const Tensor& output, const std::vector<std::pair<std::string, Tensor>>& inputs);

struct Agreement {
  double relative_error = 0, cosine = 1;  // largest difference over the largest magnitude
};

Agreement compare(const Tensor& reference, const Tensor& result, const std::vector<char>& flags);

}  // namespace edgeconv::testing
