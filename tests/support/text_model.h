// A model for the tasks of ert_text.h, by hand: ids and whatever other inputs are asked for, and the outputs that a task wants.
#pragma once

#include "rt/text/format.h"
#include "tests/support/blob_builder.h"

namespace ert::testing {

struct TextModelShape {
  text::TaskKind task = text::TaskKind::kEmbed;
  uint32_t inputs = 1;  // of ids' shape
  uint32_t width = 3;   // of the results
  int32_t most = 12;    // tokens
  bool fixed_tokens = false;
  bool rows_by_expression = false, tokens_by_expression = false;  // 2 - 1, tokens + 0
  std::vector<uint8_t> tokenizer;
};

// Values: 2 for each input (what is bound, then int32 in the arena), then those of the outputs.
BlobSpec text_model(const TextModelShape& shape);

}  // namespace ert::testing
