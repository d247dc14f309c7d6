// Pre-tokenizers that rewrite their pieces: Metaspace (spaces become a character that one can see) and ByteLevel (a space before the text; its bytes stay
// bytes, because the pieces of byte-level vocabularies are bytes in the tables).
#include "rt/text/normalize.h"
#include "rt/text/pretokenize.h"

namespace ert::text {

namespace {

// Copies added tokens to next, marks included, up to the next piece or the end, and leaves out what was removed. True: there is a piece.
bool copy_to_piece(Encoder& e, uint8_t* next_marks, size_t* at, Range* r, bool* fits) {
  while (*at < e.main.size) {
    r->begin = *at, r->end = region_end(e, *at);
    *at = r->end;
    if (e.marks[r->begin] == kPiece) return true;
    if (e.marks[r->begin] == kRemoved) continue;
    const size_t from = e.next.size;
    *fits = copy_with_prefix(e, r->begin, r->end, {});
    if (!*fits) return false;
    memcpy(next_marks + from, e.marks + r->begin, e.next.size - from);
  }
  return false;
}

void take_next_marked(Encoder& e, const uint8_t* next_marks) {
  take_next(e);
  memcpy(e.marks, next_marks, e.main.size);
}

// A piece with its spaces replaced, and with kPlainSpaces the marks that it has had. The prefix has the span of its first character.
bool copy_replaced(Encoder& e, const Range& r, Bytes8 replacement, bool prefixed) {
  const Buffer& b = e.main;
  if (prefixed && !append(e.next, e.room(), replacement.data, replacement.size, b.spans[r.begin])) return false;
  const bool plain = has(*e.tables, kPlainSpaces);
  size_t copied = r.begin;
  for (size_t i = r.begin; i < r.end; ++i) {
    const bool mark = plain && starts_with_word_mark(b.text + i, r.end - i);
    if (b.text[i] != ' ' && !mark) continue;
    if (!copy_with_prefix(e, copied, i, {}) || !append(e.next, e.room(), replacement.data, replacement.size, b.spans[i]))
      return false;
    if (mark) i += kWordMarkBytes - 1;
    copied = i + 1;
  }
  return copy_with_prefix(e, copied, r.end, {});
}

}  // namespace

bool pretokenize_metaspace(Encoder& e, const Step& s) {
  const Bytes8 replacement{string_of(*e.tables, s.a), s.a.bytes};
  if (replacement.size == 0 || replacement.size > 4) return false;
  const uint32_t scheme = s.option & 3;
  e.place_next();
  uint8_t* next_marks = e.spare;
  bool fits = true;
  Range r;
  for (size_t at = 0; copy_to_piece(e, next_marks, &at, &r, &fits);) {
    const Buffer& b = e.main;
    const bool marked =
        b.text[r.begin] == ' ' ||
        (r.end - r.begin >= replacement.size && memcmp(b.text + r.begin, replacement.data, replacement.size) == 0) ||
        (has(*e.tables, kPlainSpaces) && starts_with_word_mark(b.text + r.begin, r.end - r.begin));
    const bool prefixed = !marked && (scheme == kPrependAlways || (scheme == kPrependFirst && b.spans[r.begin].start == 0));
    const size_t from = e.next.size;
    if (!copy_replaced(e, r, replacement, prefixed)) return false;
    memset(next_marks + from, kInside, e.next.size - from);
    next_marks[from] = kPiece;
    if ((s.option & kMetaspaceSplit) == 0) continue;
    // Merged with what follows, unless another one follows.
    for (size_t i = from; i + replacement.size <= e.next.size;) {
      if (memcmp(e.next.text + i, replacement.data, replacement.size) == 0) {
        next_marks[i] = kPiece;
        i += replacement.size;
      } else {
        ++i;
      }
    }
  }
  if (!fits) return false;
  take_next_marked(e, next_marks);
  return true;
}

bool pretokenize_byte_level(Encoder& e, const Step& s) {
  if ((s.option & 1) != 0) {
    e.place_next();
    uint8_t* next_marks = e.spare;
    bool fits = true;
    Range r;
    const uint8_t space = ' ';
    for (size_t at = 0; copy_to_piece(e, next_marks, &at, &r, &fits);) {
      const size_t from = e.next.size;
      if (!copy_with_prefix(e, r.begin, r.end, {&space, e.main.text[r.begin] == ' ' ? 0u : 1u})) return false;
      memset(next_marks + from, kInside, e.next.size - from);
      next_marks[from] = kPiece;
    }
    if (!fits) return false;
    take_next_marked(e, next_marks);
  }
  if ((s.option & 2) == 0) return true;
  const Step split{static_cast<uint32_t>(PretokenizerKind::kSplit),
                   static_cast<uint32_t>(Behavior::kIsolated) + 256 * static_cast<uint32_t>(SplitRule::kGpt2),
                   {0, 0},
                   {0, 0}};
  return pretokenize_split(e, split);
}

}  // namespace ert::text
