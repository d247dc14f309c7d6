#include "convert/text/expansion.h"

#include <algorithm>
#include <set>

#include "convert/ir/diagnostics.h"
#include "convert/text/unicode/unicode_data.h"
#include "rt/text/double_array.h"
#include "rt/text/utf8.h"

namespace edgeconv::text {

namespace {

using namespace ert::text;

std::string utf8(uint32_t code) {
  uint8_t out[4];
  return std::string(reinterpret_cast<char*>(out), put_character(code, out));
}

// Characters that some step makes longer, and some of each sort that steps tell apart.
std::set<std::string> candidates(const Tokenizer& t, const Tables& tables) {
  std::set<std::string> out = {"a",
                               "A",
                               " ",
                               "!",
                               "1",
                               "\n",
                               "\xc3\xa9",
                               "\xe2\x96\x81",
                               "\xe4\xb8\x80",
                               "\xea\xb0\x80",
                               "\xea\xb0\x81",
                               "\xf0\xa0\x80\x80",
                               "\xf0\x9f\x98\x80"};
  const UnicodeData& u = unicode_data();
  for (const CodeMap* m : {&u.canonical, &u.compatible, &u.lowercase})
    for (const auto& [code, to] : *m) out.insert(utf8(code));
  for (const Step& s : t.normalizer)
    if (!s.a.empty()) out.insert(s.a);
  for (uint32_t c = 1; tables.charsmap_trie.size != 0 && c < 0x30000; ++c) {
    const std::string text = utf8(c);
    uint32_t value;
    if (double_array_find(tables.charsmap_trie, reinterpret_cast<const uint8_t*>(text.data()), text.size(), &value))
      out.insert(text);
  }
  return out;
}

uint32_t bytes_before(const Tokenizer& t) {
  size_t extra = 0;
  for (const Step& s : t.normalizer) {
    if (s.kind == static_cast<uint32_t>(NormalizerKind::kPrepend)) extra += s.a.size();
    if (s.kind == static_cast<uint32_t>(NormalizerKind::kSentencePiece) && (s.option & kAddDummyPrefix) != 0)
      extra += (t.flags & kPlainSpaces) != 0 ? 1 : 3;
  }
  for (const Step& s : t.pretokenizer) {
    if (s.kind == static_cast<uint32_t>(PretokenizerKind::kMetaspace) && (s.option & 3) != kPrependNever) extra += s.a.size();
    if (s.kind == static_cast<uint32_t>(PretokenizerKind::kByteLevel) && (s.option & 1) != 0) extra += 1;
  }
  if (extra > kMostExtra)
    throw FatalError(ExitCode::kLimit, "the tokenizer puts more than " + std::to_string(kMostExtra) + " bytes before texts");
  return static_cast<uint32_t>(extra);
}

}  // namespace

Expansion measure_expansion(const Tokenizer& t, TableProbe& probe) {
  constexpr size_t kTimes = 64;  // so that what is put before a text does not count with each character
  Expansion e;
  e.extra = bytes_before(t);
  const auto ratio = [&](const std::string& text, size_t bytes) {
    std::string many;
    for (size_t i = 0; i < kTimes; ++i) many += text;
    const size_t most = probe.largest(many), without = most > e.extra ? most - e.extra : 0;
    return (without + kTimes * bytes - 1) / (kTimes * bytes);
  };
  size_t most = 1;
  for (const std::string& text : candidates(t, probe.tables())) most = std::max(most, ratio(text, text.size()));
  // A byte that is no UTF-8 becomes U+FFFD, unless the first step would drop that.
  const bool drops = !t.normalizer.empty() && t.normalizer[0].kind == static_cast<uint32_t>(NormalizerKind::kBertClean);
  if (!drops) most = std::max({most, size_t{3}, ratio("\xef\xbf\xbd", 1)});
  // What stands between two added tokens is a text of its own.
  size_t shortest = 1;
  for (const AddedToken& a : t.added) shortest = std::min(shortest, a.content.size());
  if (!t.added.empty()) most = std::max(most, (most + e.extra + shortest) / (1 + shortest));
  if (most > 64) throw FatalError(ExitCode::kLimit, "the tokenizer can make a byte of text " + std::to_string(most) + " bytes");
  e.of_byte = static_cast<uint32_t>(most);
  return e;
}

}  // namespace edgeconv::text
