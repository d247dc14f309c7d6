// `edgeconv run BLOB --text "..."`: answers of blobs that have a tokenizer and a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgeconv::cli {

struct TextArguments {
  std::vector<std::string> texts, pairs;
  std::string file, labels;
  uint32_t top = 0;
  bool json = false;
  bool given() const { return !texts.empty() || !pairs.empty() || !file.empty(); }
};

// Prints one answer a text, in their order: for people, or with `json` an object a line (json_schemas/run_text.schema.json).
// Throws FatalError.
int run_texts(const std::string& blob, uint32_t isa_mask, uint32_t threads, const TextArguments& o);

}  // namespace edgeconv::cli
