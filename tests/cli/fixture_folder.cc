// Reads fixture folders and compares tensors.
#include "tests/cli/fixture_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "convert/files/json.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/program.h"

namespace edgeconv::testing {

std::optional<fs::path> fixture_root() {
  for (const char* variable : {"EDGECONV_FIXTURES", "ERT_FIXTURES"})
    if (const char* folder = std::getenv(variable); folder && *folder) return folder;
  const fs::path beside = EDGECONV_FULL_FIXTURES;
  return fs::exists(beside) ? std::optional(beside) : std::nullopt;
}

std::vector<fs::path> sorted_folders(const fs::path& root, bool (*wanted)(const std::string&)) {
  std::vector<fs::path> folders;
  for (const auto& e : fs::directory_iterator(root))
    if (e.is_directory() && wanted(e.path().filename().string())) folders.push_back(e.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool is_data_set(const std::string& name) { return name.rfind("test_data_set_", 0) == 0; }

std::vector<std::string> dim_options(const fs::path& fixture) {
  std::vector<std::string> options;
  if (!fs::exists(fixture / "meta.json")) return options;
  const Json meta = parse_json(read_file(fixture / "meta.json"));
  if (meta.is_object() && meta.contains("max_dims"))
    for (const auto& [name, most] : meta.at("max_dims").items())
      options.insert(options.end(), {"--dim", name + "=" + std::to_string(most.get<int64_t>())});
  return options;
}

std::vector<std::pair<std::string, Tensor>> read_all(const fs::path& folder, const std::string& prefix) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (int k = 0;; ++k) {
    const fs::path file = folder / (prefix + std::to_string(k) + ".pb");
    if (!fs::exists(file)) return tensors;
    std::string name;
    Tensor t = read_tensor_pb(file.string(), &name);
    tensors.emplace_back(name, std::move(t));
  }
}

std::vector<char> counted(const Tensor& output, const std::vector<std::pair<std::string, Tensor>>& inputs) {
  std::vector<char> flags(static_cast<size_t>(output.elements()), 1);
  for (const auto& [name, mask] : inputs) {
    if (name != "attention_mask" || mask.rank() != 2 || output.rank() < 2 || output.dims()[0] != mask.dims()[0] ||
        output.dims()[1] != mask.dims()[1])
      continue;
    const std::vector<int64_t> keep = mask.to_int64();
    const size_t inner = flags.size() / keep.size();
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = keep[i / inner] != 0;
  }
  return flags;
}

Agreement compare(const Tensor& reference, const Tensor& result, const std::vector<char>& flags) {
  const std::vector<float> ref = reference.to_float(), got = result.to_float();
  double largest = 0, worst = 0, dot = 0, ref2 = 0, got2 = 0;
  for (size_t i = 0; i < ref.size(); ++i) {
    if (!flags[i]) continue;
    const double r = ref[i], g = got[i];
    if (!std::isfinite(g)) return {HUGE_VAL, -1};
    largest = std::max(largest, std::fabs(r));
    worst = std::max(worst, std::fabs(g - r));
    dot += r * g;
    ref2 += r * r;
    got2 += g * g;
  }
  const double norm = std::sqrt(ref2) * std::sqrt(got2);
  return {largest > 0 ? worst / largest : worst, norm > 0 ? dot / norm : (ref2 == got2 ? 1.0 : 0.0)};
}

}  // namespace edgeconv::testing
