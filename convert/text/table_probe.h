// What the tables of a tokenizer make of a text, asked of the code that will run on the device.
#pragma once

#include <string>
#include <vector>

#include "rt/text/encode.h"

namespace edgeconv::text {

class TableProbe {
 public:
  // Tables as table_bytes writes them. Throws FatalError(kInternal) if the runtime refuses them.
  explicit TableProbe(const std::string& tables);
  TableProbe(const TableProbe&) = delete;

  // The text behind the normalizer.
  std::string normalized(const std::string& text);
  // The most bytes that the text has between two steps, up to the model.
  size_t largest(const std::string& text);
  // The id of a word that becomes one token, else -1.
  int32_t only_token(const std::string& word);
  const ert::text::Tables& tables() const { return tables_; }

 private:
  ert::text::Encoder encoder(const std::string& text, size_t room);
  std::vector<uint64_t> bytes_;
  ert::text::Tables tables_;
  std::vector<ert::text::Token> tokens_;
  std::vector<ert_span> spans_;
  std::vector<uint8_t> text_, marks_, spare_;
};

}  // namespace edgeconv::text
