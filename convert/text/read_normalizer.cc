// "normalizer" of a tokenizer.json.
#include "convert/text/files/base64.h"
#include "convert/text/components.h"

namespace edgeconv::text {

namespace {

using Normalizer = ert::text::NormalizerKind;
using ert::text::PatternKind;

void add_normalizer(Tokenizer& t, Normalizer kind, uint32_t option = 0, std::string a = {}, std::string b = {}) {
  t.normalizer.push_back({static_cast<uint32_t>(kind), option, std::move(a), std::move(b)});
}

void read_bert_normalizer(const JsonPlace& p, Tokenizer& t) {
  const bool lowercase = p.boolean("lowercase", true);
  if (p.boolean("clean_text", true)) add_normalizer(t, Normalizer::kBertClean);
  if (p.boolean("handle_chinese_chars", true)) add_normalizer(t, Normalizer::kBertChinese);
  if (p.boolean("strip_accents", lowercase)) {
    add_normalizer(t, Normalizer::kNfd);
    add_normalizer(t, Normalizer::kStripAccents, 1);
  }
  if (lowercase) add_normalizer(t, Normalizer::kLowercase);
}

void read_replace_normalizer(const JsonPlace& p, Tokenizer& t) {
  const JsonPlace pattern = p.at("pattern");
  const std::string content = p.at("content").string();
  if (pattern.has("String")) {
    const std::string from = pattern.at("String").string();
    if (from.empty()) return pattern.unsupported("Replace of an empty string");
    return add_normalizer(t, Normalizer::kReplace, static_cast<uint32_t>(PatternKind::kString), from, content);
  }
  const std::string expression = pattern.at("Regex").string();
  if (expression == " {2,}") return add_normalizer(t, Normalizer::kReplace, static_cast<uint32_t>(PatternKind::kSpaceRun), {}, content);
  if (expression == "\\s+") return add_normalizer(t, Normalizer::kReplace, static_cast<uint32_t>(PatternKind::kWhitespaceRun), {}, content);
  pattern.unsupported("Replace of the expression '" + expression + "'");
}

void read_precompiled(const JsonPlace& p, Tokenizer& t) {
  const JsonPlace map = p.at("precompiled_charsmap");
  std::string bytes;
  if (!from_base64(map.string(), &bytes)) map.malformed("is not base64");
  if (const std::string wrong = wrong_with_charsmap(bytes); !wrong.empty()) map.malformed(wrong);
  if (!t.charsmap.empty() && t.charsmap != bytes) return p.unsupported("a second Precompiled normalizer with another charsmap");
  t.charsmap = bytes;
  add_normalizer(t, Normalizer::kPrecompiled);
}

}  // namespace

std::string wrong_with_charsmap(const std::string& bytes) {
  constexpr size_t kHeader = 4;
  const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
  if (bytes.size() < kHeader) return "is no precompiled charsmap: it has " + std::to_string(bytes.size()) + " bytes";
  const uint32_t trie = p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
  if (trie <= bytes.size() - kHeader && trie % 4 == 0) return {};
  return "is no precompiled charsmap: its trie of " + std::to_string(trie) + " bytes is cut off, or no whole number of units";
}

void read_normalizer(const JsonPlace& p, Tokenizer& t) {
  if (p.null()) return;
  const std::string type = p.type();
  if (type == "Sequence") {
    const JsonPlace list = p.at("normalizers");
    for (size_t i = 0; i < list.size(); ++i) read_normalizer(list.item(i), t);
  } else if (type == "BertNormalizer") {
    read_bert_normalizer(p, t);
  } else if (type == "NFC") {
    add_normalizer(t, Normalizer::kNfc);
  } else if (type == "NFD") {
    add_normalizer(t, Normalizer::kNfd);
  } else if (type == "NFKC") {
    add_normalizer(t, Normalizer::kNfkc);
  } else if (type == "NFKD") {
    add_normalizer(t, Normalizer::kNfkd);
  } else if (type == "Lowercase") {
    add_normalizer(t, Normalizer::kLowercase);
  } else if (type == "StripAccents") {
    add_normalizer(t, Normalizer::kStripAccents, 0);
  } else if (type == "Nmt") {
    add_normalizer(t, Normalizer::kNmt);
  } else if (type == "Strip") {
    add_normalizer(t, Normalizer::kStrip, (p.boolean("strip_left", true) ? 1 : 0) | (p.boolean("strip_right", true) ? 2 : 0));
  } else if (type == "Prepend") {
    add_normalizer(t, Normalizer::kPrepend, 0, p.at("prepend").string());
  } else if (type == "Replace") {
    read_replace_normalizer(p, t);
  } else if (type == "Precompiled") {
    read_precompiled(p, t);
  } else {
    p.unsupported("normalizer '" + type + "'");
  }
}

}  // namespace edgeconv::text
