// "pre_tokenizer" of a tokenizer.json.
#include <algorithm>

#include "convert/text/components.h"

namespace edgeconv::text {

namespace {

using Pretokenizer = ert::text::PretokenizerKind;
using ert::text::Behavior;
using ert::text::SplitRule;

void add_pretokenizer(Tokenizer& t, Pretokenizer kind, uint32_t option = 0, std::string a = {}) { t.pretokenizer.push_back({static_cast<uint32_t>(kind), option, std::move(a), {}}); }

uint32_t behavior_of(const JsonPlace& p) {
  const std::string name = p.string();
  const char* const names[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
  for (uint32_t i = 0; i < std::size(names); ++i)
    if (name == names[i]) return i;
  p.malformed("is none of Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous");
}

void read_metaspace_pretokenizer(const JsonPlace& p, Tokenizer& t) {
  add_pretokenizer(t, Pretokenizer::kMetaspace, metaspace_options(p), metaspace_mark(p));
}

void read_split(const JsonPlace& p, Tokenizer& t) {
  const JsonPlace pattern = p.at("pattern");
  const uint32_t option = behavior_of(p.at("behavior")) + (p.boolean("invert", false) ? 16 : 0);
  if (pattern.has("String")) {
    const std::string s = pattern.at("String").string();
    if (s.empty()) return pattern.unsupported("Split at an empty string");
    return add_pretokenizer(t, Pretokenizer::kSplit, option, s);
  }
  const std::string expression = pattern.at("Regex").string();
  const SplitRule rule = rule_of(expression);
  if (rule == SplitRule::kCount) return pattern.unsupported("Split at the expression '" + expression + "'");
  add_pretokenizer(t, Pretokenizer::kSplit, option + 256 * static_cast<uint32_t>(rule));
}

}  // namespace

uint32_t metaspace_options(const JsonPlace& p) {
  std::string scheme = p.string("prepend_scheme", "always");
  if (!p.boolean("add_prefix_space", true)) {
    if (p.has("prepend_scheme") && scheme != "never") p.malformed("has add_prefix_space false and prepend_scheme '" + scheme + "'");
    scheme = "never";
  }
  if (scheme != "always" && scheme != "first" && scheme != "never") p.at("prepend_scheme").malformed("is none of always, first, never");
  const uint32_t split = p.boolean("split", true) ? uint32_t{ert::text::kMetaspaceSplit} : 0u;
  return split + (scheme == "always" ? ert::text::kPrependAlways : scheme == "first" ? ert::text::kPrependFirst : ert::text::kPrependNever);
}

std::string metaspace_mark(const JsonPlace& p) {
  const std::string mark = p.at("replacement").string();
  const auto starts = std::count_if(mark.begin(), mark.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; });
  if (starts != 1) p.at("replacement").malformed("is not one character");
  return mark;
}

SplitRule rule_of(const std::string& expression) {
#define EDGECONV_SPLIT_RULE(rule, text) \
  if (expression == text) return SplitRule::rule;
#include "convert/text/split_rules.inc"
#undef EDGECONV_SPLIT_RULE
  return SplitRule::kCount;
}

void read_pretokenizer(const JsonPlace& p, Tokenizer& t) {
  if (p.null()) return;
  const std::string type = p.type();
  if ((t.flags & ert::text::kByteLevel) != 0 && type != "Sequence") p.unsupported("pre-tokenizer '" + type + "' behind ByteLevel");
  if (type == "Sequence") {
    const JsonPlace list = p.at("pretokenizers");
    for (size_t i = 0; i < list.size(); ++i) read_pretokenizer(list.item(i), t);
  } else if (type == "BertPreTokenizer") {
    add_pretokenizer(t, Pretokenizer::kBert);
  } else if (type == "Whitespace") {
    add_pretokenizer(t, Pretokenizer::kWhitespace);
  } else if (type == "WhitespaceSplit") {
    add_pretokenizer(t, Pretokenizer::kWhitespaceSplit);
  } else if (type == "Metaspace") {
    read_metaspace_pretokenizer(p, t);
  } else if (type == "ByteLevel") {
    t.flags |= ert::text::kByteLevel;
    add_pretokenizer(t, Pretokenizer::kByteLevel, (p.boolean("add_prefix_space", true) ? 1u : 0u) | (p.boolean("use_regex", true) ? 2u : 0u));
  } else if (type == "Digits") {
    add_pretokenizer(t, Pretokenizer::kDigits, p.boolean("individual_digits", false) ? 1u : 0u);
  } else if (type == "Punctuation") {
    add_pretokenizer(t, Pretokenizer::kPunctuation, p.has("behavior") ? behavior_of(p.at("behavior")) : static_cast<uint32_t>(Behavior::kIsolated));
  } else if (type == "CharDelimiterSplit") {
    add_pretokenizer(t, Pretokenizer::kSplit, static_cast<uint32_t>(Behavior::kRemoved), p.at("delimiter").string());
  } else if (type == "Split") {
    read_split(p, t);
  } else {
    p.unsupported("pre-tokenizer '" + type + "'");
  }
}

}  // namespace edgeconv::text
