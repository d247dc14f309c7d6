#include "convert/text/whole_pieces.h"

#include <algorithm>

#include "convert/text/plain_spaces.h"

namespace edgeconv::text {

using namespace ert::text;

std::string whole_pieces(const Tokenizer& t, TableProbe& probe) {
  if ((t.kind != ERT_TEXT_BPE && t.kind != ERT_TEXT_SENTENCEPIECE_BPE) || (t.flags & kIgnoreMerges) != 0) return {};
  const std::string suffix = (t.flags & kHasSuffix) != 0 ? t.suffix : "";
  std::string bits((t.vocabulary() + 7) / 8, '\0');
  for (uint32_t id = 0; id < t.vocabulary(); ++id) {
    if (!t.found[id]) continue;
    std::string word = piece_in_text(t, t.pieces[id]);
    if (word.size() <= suffix.size() || word.compare(word.size() - suffix.size(), suffix.size(), suffix) != 0) continue;
    word.resize(word.size() - suffix.size());
    // Merging takes time that grows faster than a piece, and words as long as this are rare.
    constexpr size_t kLongestWord = 64;
    if (word.size() <= kLongestWord && probe.only_token(word) == static_cast<int32_t>(id)) bits[id / 8] |= static_cast<char>(1 << id % 8);
  }
  return std::all_of(bits.begin(), bits.end(), [](char c) { return c == 0; }) ? std::string() : bits;
}

}  // namespace edgeconv::text
