// From text to answer: how fast a blob with a tokenizer answers the lines of a file, and what of that the tokenizer takes.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace ert::bench {

struct TextOptions {
  std::string file;                 // UTF-8, a text a line; with qa QUESTION, a tab, CONTEXT
  std::vector<std::string> labels;  // zero-shot
  uint32_t passes = 5;              // over all lines; the medians count
};

// Of one pass over all lines.
struct TextResult {
  std::string task, isa;
  uint32_t threads = 1;
  size_t texts = 0, tokens = 0, runs = 0, truncated = 0;  // tokens of all runs of the model, special ones included
  double answer_us = 0;     // ert_text_run
  double tokenizer_us = 0;  // ert_text_encode of the same texts
  double model_us = 0;      // ert_run on the same ids; 0 where a text takes several runs
  uint64_t arena_bytes = 0, work_bytes = 0;
};

TextResult measure_texts(const Blob& blob, const TextOptions& texts, const Options& options);  // throws Failure

}  // namespace ert::bench
