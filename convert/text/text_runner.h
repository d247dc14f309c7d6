// A tokenizer on the host, by the device's API: what `edgeconv tokenize` and `run --text` use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt/include/ert_text.h"

namespace edgeconv::text {

struct Encoding {
  std::vector<int32_t> ids, type_ids, attention, special;
  std::vector<ert_span> offsets;
  std::vector<uint8_t> sequence;
  bool truncated = false;
  uint32_t windows = 1;
};

class TextRunner {
 public:
  // Tables as table_bytes gives them. Throws FatalError for tables that the runtime refuses.
  explicit TextRunner(const std::string& tables);
  // Of an opened model, which must outlive this. Throws FatalError(kUsage) if the blob has no tokenizer, naming the flag that gives it one.
  TextRunner(const ert_model& model, const std::string& blob);
  TextRunner(const TextRunner&) = delete;

  // options: null for what the tables say. Throws FatalError. The encoding is valid until the next call.
  const Encoding& encode(const std::string& text, const std::string* pair, const ert_text_options* options);
  std::string decode(const std::vector<int32_t>& ids, bool skip_special);
  const ert_text& tables() const { return text_; }

 private:
  ert_text text_{};
  std::vector<uint64_t> bytes_, work_;
  Encoding encoding_;
};

}  // namespace edgeconv::text
