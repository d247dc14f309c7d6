// What the fuzzer starts from, made by code: a blob with each runtime op, blobs with states, packed rows, golden vectors and custom ops, compressed ones,
// tokenizer tables, ONNX models of the fixtures, and good ones of the corpus of tests/cli/malformed_corpus.h.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace ert::fuzz {

struct Seed {
  std::string name;
  Bytes bytes;
};

std::vector<Seed> blob_seeds(const std::string& target);
std::vector<Seed> text_seeds();   // text_seeds.cc
std::vector<Seed> model_seeds();  // model_seeds.cc: only where the converter is built

inline std::vector<Seed> seeds_of(const std::string& target) {
#if ERT_FUZZ_CONVERTER
  if (target == "onnx_parse" || target == "onnx_import" || target == "convert") return model_seeds();
#endif
  return target == "text" ? text_seeds() : blob_seeds(target);
}

}  // namespace ert::fuzz
