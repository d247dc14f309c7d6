// raii: the language of each text, in C++ with owners (model.h). The blob: edgeconv langid.onnx --tokenizer tests/models/langid.
//
//   raii langid.ert TEXT...
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "model.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: raii BLOB.ert TEXT...\n", stderr);
    return 2;
  }
  try {
    const auto model = std::make_shared<const example::Model>(example::read_file(argv[1]));
    example::Classifier classifier(model, 4096);
    for (int i = 2; i < argc; ++i) {
      const auto [label, score] = classifier.classify(argv[i]);
      std::printf("%.*s %.4f\n", static_cast<int>(label.size()), label.data(), static_cast<double>(score));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "raii: %s\n", error.what());
    return 1;
  }
  return 0;
}
