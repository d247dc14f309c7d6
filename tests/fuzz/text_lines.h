// What the target text (text_target.cc) asks tokenizers.
#pragma once

#include <string>

#include "rt/include/ert_text.h"
#include "rt/text/format.h"
#include "tests/fuzz/target.h"

namespace ert::fuzz {

constexpr size_t kMostWork = 1 << 22;  // bytes of working memory; more is not tried: nothing new, and slow

struct Line {
  std::string text, pair;
  bool has_pair;
  ert_text_options options;
};

// Letters, spaces, marks and broken sequences, and pieces of the tables themselves.
Line some_line(const ert_text& t, const ert_text_info& info, RandomNumbers* random);

inline void expect(bool holds, const char* what, long long value = 0) {
  if (!holds) finding(what, value);
}

// text_answers.cc: a task's answers lie inside their texts, and are the same again.
void answer(const Bytes& tables, text::TaskKind task, RandomNumbers* random);

}  // namespace ert::fuzz
