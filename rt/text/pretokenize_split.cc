// Split: matches of a rule, of those that are linked (linked.h), and what is between them.
#include "rt/text/linked.h"
#include "rt/text/pretokenize.h"
#include "rt/text/split_rules.h"

namespace ert::text {

namespace {

size_t match_string(const RuleText& t, size_t i, Bytes8 s) {
  return s.size != 0 && s.size <= t.end - i && memcmp(t.text + i, s.data, s.size) == 0 ? s.size : 0;
}

size_t match_run(const RuleText& t, size_t i, uint32_t wanted, uint32_t most) {
  const size_t begin = i;
  for (uint32_t n = 0; n < most && i < t.end; ++n) {
    const Character c = t.at(i);
    if ((t.classes->byte(c.code) & wanted) == 0) break;
    i += c.bytes;
  }
  return i - begin;
}

size_t match_rule(const RuleText& t, size_t i, SplitRule rule, Bytes8 string) {
  switch (rule) {
    case SplitRule::kText:
      if constexpr (linked_rule(SplitRule::kText)) return match_string(t, i, string);
      break;
    case SplitRule::kGpt2:
      if constexpr (linked_rule(SplitRule::kGpt2)) return match_gpt2(t, i);
      break;
    case SplitRule::kClip:
      if constexpr (linked_rule(SplitRule::kClip)) return match_clip(t, i);
      break;
    case SplitRule::kCl100k:
      if constexpr (linked_rule(SplitRule::kCl100k)) return match_cl100k(t, i, 3);
      break;
    case SplitRule::kQwen2:
      if constexpr (linked_rule(SplitRule::kQwen2)) return match_cl100k(t, i, 1);
      break;
    case SplitRule::kO200k:
      if constexpr (linked_rule(SplitRule::kO200k)) return match_o200k(t, i, 3, true);
      break;
    case SplitRule::kTekken:
      if constexpr (linked_rule(SplitRule::kTekken)) return match_o200k(t, i, 1, false);
      break;
    case SplitRule::kSpaces:
      if constexpr (linked_rule(SplitRule::kSpaces)) return match_run(t, i, kClassSpace, UINT32_MAX);
      break;
    case SplitRule::kDigitRuns:
      if constexpr (linked_rule(SplitRule::kDigitRuns)) return match_run(t, i, kClassNumber, 3);
      break;
    case SplitRule::kCount: break;
  }
  return 0;
}

}  // namespace

bool pretokenize_split(Encoder& e, const Step& s) {
  const uint32_t behavior = s.option & 15, rule = s.option >> 8;
  if (behavior >= static_cast<uint32_t>(Behavior::kCount) || rule >= static_cast<uint32_t>(SplitRule::kCount)) return false;
  const Bytes8 string{string_of(*e.tables, s.a), s.a.bytes};
  Splitter splits(e, static_cast<Behavior>(behavior), (s.option & 16) != 0);
  Range r;
  for (size_t at = 0; next_piece(e, &at, &r);) {
    const RuleText t{&e.tables->rule_classes, e.main.text, r.end};
    bool between = false;
    splits.begin_piece();
    for (size_t i = r.begin; i < r.end;) {
      const size_t n = match_rule(t, i, static_cast<SplitRule>(rule), string);
      if (n != 0) {
        splits.add(i, true);
        i += n;
        between = false;
        continue;
      }
      if (!between) splits.add(i, false);
      between = true;
      i += t.at(i).bytes;
    }
  }
  return true;
}

}  // namespace ert::text
