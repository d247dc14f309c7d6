// Regular expressions of models in use, as functions: no engine, no backtracking that could take long. convert/text/split_rules.inc has the
// expressions; tests compare each with them.
#pragma once

#include "rt/text/buffer.h"

namespace ert::text {

// One piece of text that a rule looks at. The expression sees nothing before and behind it.
struct RuleText {
  const CodeTable* classes;
  const uint8_t* text;
  size_t end;

  Character at(size_t i) const { return character_at(text + i, text + end); }
  uint32_t classes_at(size_t i) const { return classes->byte(at(i).code); }
};

// Bytes that the expression matches at byte i < end, 0 for none.
size_t match_gpt2(const RuleText& t, size_t i);
size_t match_clip(const RuleText& t, size_t i);
size_t match_cl100k(const RuleText& t, size_t i, uint32_t most_digits);
size_t match_o200k(const RuleText& t, size_t i, uint32_t most_digits, bool contractions);

}  // namespace ert::text
