// The smallest ONNX models of the fixtures: see seeds.h.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/seeds.h"

namespace ert::fuzz {
namespace {

constexpr uintmax_t kLargestSeed = 28 << 10;

}  // namespace

std::vector<Seed> model_seeds() {
  namespace fs = std::filesystem;
  std::vector<Seed> seeds;
  for (const auto& folder : fs::directory_iterator(ERT_FUZZ_FIXTURES)) {
    const fs::path file = folder.path() / "model.onnx";
    if (!fs::exists(file) || fs::file_size(file) > kLargestSeed) continue;
    std::ifstream in(file, std::ios::binary);
    seeds.push_back({folder.path().filename().string(), {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

}  // namespace ert::fuzz
