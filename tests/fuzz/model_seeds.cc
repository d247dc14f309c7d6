// The smallest ONNX models of the fixtures, and what the corpus of malformed files has of good ones: see seeds.h.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/malformed_corpus.h"
#include "tests/fuzz/seeds.h"

namespace ert::fuzz {
namespace {

constexpr uintmax_t kLargestSeed = 28 << 10;
constexpr size_t kLargestOfCorpus = 2 << 10;

// Functions, graphs in attributes, tensors stored in every way: files of a few hundred bytes.
void add_corpus(std::vector<Seed>* seeds) {
  edgeconv::testing::Corpus corpus;
  edgeconv::testing::add_wire_damage(corpus);
  edgeconv::testing::add_tensor_damage(corpus);
  edgeconv::testing::add_graph_damage(corpus);
  edgeconv::testing::add_operator_damage(corpus);
  for (size_t i = 0; i < corpus.size(); ++i)
    if (const std::string& bytes = corpus[i].bytes; corpus[i].exit_code == 0 && bytes.size() <= kLargestOfCorpus)
      seeds->push_back({"corpus_" + std::to_string(i), {bytes.begin(), bytes.end()}});
}

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
  add_corpus(&seeds);
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

}  // namespace ert::fuzz
