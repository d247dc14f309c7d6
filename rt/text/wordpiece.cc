// WordPiece: the longest piece at each place of a word; a word that has none somewhere is unknown as a whole. WordLevel: the word is a piece or unknown.
#include "rt/text/models.h"

namespace ert::text {

namespace {

bool unknown(Encoder& e, size_t begin, size_t end) {
  if (e.tables->header->unknown < 0) return false;
  e.emit(e.tables->header->unknown, begin, end);
  return true;
}

bool longer_than(const Encoder& e, size_t begin, size_t end, uint32_t most) {
  if (end - begin <= most) return false;
  size_t characters = 0;
  for (size_t i = begin; i < end; ++i) characters += (e.main.text[i] & 0xc0) != 0x80;
  return characters > most;
}

// The longest piece from byte `at` on. *stop is its end.
//
// The hash of every prefix is kept behind the tokens that this word can still become, in the element of its last byte.
int32_t longest_piece(Encoder& e, Token* hashes, size_t begin, size_t at, size_t end, size_t* stop) {
  const Tables& t = *e.tables;
  const uint8_t* text = e.main.text;
  Bytes8 prefix;
  if (at != begin && has(t, kHasPrefix)) prefix = {string_of(t, t.ending->prefix), t.ending->prefix.bytes};
  uint32_t h = hash_bytes(kHashStart, prefix.data, prefix.size);
  const size_t last = end - at > t.header->longest ? at + t.header->longest : end;
  for (size_t i = at; i < last; ++i) {
    h = hash_byte(h, text[i]);
    hashes[i - begin].start = h;
  }
  for (size_t i = last; i > at; --i) {
    if (i < end && (text[i] & 0xc0) == 0x80) continue;  // inside of a character
    const int32_t id = find_piece(t, hashes[i - 1 - begin].start, prefix, text + at, static_cast<uint32_t>(i - at), {});
    if (id >= 0) {
      *stop = i;
      return id;
    }
  }
  return -1;
}

}  // namespace

bool encode_wordpiece(Encoder& e, size_t begin, size_t end) {
  const size_t before = e.token_count;
  if (longer_than(e, begin, end, e.tables->header->max_characters)) return unknown(e, begin, end);
  Token* hashes = e.tail();
  for (size_t at = begin; at < end;) {
    size_t stop = at;
    const int32_t id = longest_piece(e, hashes, begin, at, end, &stop);
    if (id < 0) {
      e.token_count = before;
      return unknown(e, begin, end);
    }
    e.emit(id, at, stop);
    at = stop;
  }
  return true;
}

bool encode_wordlevel(Encoder& e, size_t begin, size_t end) {
  const int32_t id = end - begin > e.tables->header->longest
                         ? -1
                         : find_piece(*e.tables, e.main.text + begin, static_cast<uint32_t>(end - begin));
  if (id < 0) return unknown(e, begin, end);
  e.emit(id, begin, end);
  return true;
}

}  // namespace ert::text
