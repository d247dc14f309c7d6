#include "convert/text/plain_spaces.h"

#include <algorithm>

namespace edgeconv::text {

namespace {

using namespace ert::text;

const std::string kMark = "\xe2\x96\x81";

bool is_metaspace(const Step& s) { return s.kind == static_cast<uint32_t>(PretokenizerKind::kMetaspace); }

bool marks_come_last(const Tokenizer& t) {
  const bool escapes = t.normalizer.size() == 1 &&
                       t.normalizer[0].kind == static_cast<uint32_t>(NormalizerKind::kSentencePiece) &&
                       (t.normalizer[0].option & kEscapeSpaces) != 0;
  if (t.pretokenizer.empty()) return escapes;
  return !escapes && is_metaspace(t.pretokenizer.back()) && t.pretokenizer.back().a == kMark &&
         std::count_if(t.pretokenizer.begin(), t.pretokenizer.end(), is_metaspace) == 1;
}

}  // namespace

bool allows_plain_spaces(const Tokenizer& t) {
  const bool kind = t.kind == ERT_TEXT_UNIGRAM || t.kind == ERT_TEXT_BPE || t.kind == ERT_TEXT_SENTENCEPIECE_BPE;
  if (!kind || (t.flags & (kByteLevel | kHasPrefix | kHasSuffix)) != 0 || !marks_come_last(t)) return false;
  // Symbols that users defined for SentencePiece are looked for before spaces become marks, and behind that.
  if ((t.flags & kSpmUtf8) != 0)
    for (const AddedToken& a : t.added)
      if (!a.special && (a.content.find(kMark) != std::string::npos || a.content.find(' ') != std::string::npos)) return false;
  for (uint32_t i = 0; i < t.vocabulary(); ++i)
    if (t.found[i] && t.pieces[i] == kMark) return true;
  return false;
}

Tokenizer with_plain_spaces(Tokenizer t) {
  t.flags |= kPlainSpaces;
  if (!t.pretokenizer.empty()) t.pretokenizer.back().a = " ";
  // A piece with a space would be found where a mark stands; nothing found it before, because no space reached the model.
  for (uint32_t i = 0; i < t.vocabulary(); ++i)
    if (t.pieces[i].find(' ') != std::string::npos) t.found[i] = false;
  return t;
}

std::string piece_in_text(const Tokenizer& t, const std::string& piece) {
  if ((t.flags & kPlainSpaces) == 0) return piece;
  std::string out;
  for (size_t i = 0; i < piece.size();) {
    const bool mark = piece.compare(i, kMark.size(), kMark) == 0;
    out += mark ? ' ' : piece[i];
    i += mark ? kMark.size() : 1;
  }
  return out;
}

}  // namespace edgeconv::text
