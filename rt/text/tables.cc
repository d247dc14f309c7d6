// Lookups in the tables of a tokenizer.
#include "rt/text/tables.h"

namespace ert::text {

namespace {

// Pieces are short: a call would cost more.
bool same(const uint8_t* a, const uint8_t* b, uint32_t bytes) {
  uint32_t i = 0;
  while (i < bytes && a[i] == b[i]) ++i;
  return i == bytes;
}

// A piece with U+2581 where the text has a space; as long as the text is then.
bool same_with_marks(const uint8_t* piece, const uint8_t* text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) {
    if (text[i] != ' ') {
      if (*piece++ != text[i]) return false;
    } else {
      if (!starts_with_word_mark(piece, kWordMarkBytes)) return false;
      piece += kWordMarkBytes;
    }
  }
  return true;
}

// As long as they are together.
bool piece_is(const Tables& t, uint32_t id, Bytes8 prefix, const uint8_t* text, uint32_t bytes, Bytes8 suffix) {
  const uint8_t* piece = piece_data(t, id);
  if (has_plain_spaces(t)) return same_with_marks(piece, text, bytes);
  return same(piece + prefix.size, text, bytes) && same(piece, prefix.data, prefix.size) &&
         same(piece + prefix.size + bytes, suffix.data, suffix.size);
}

}  // namespace

int32_t find_piece(const Tables& t, uint32_t h, Bytes8 prefix, const uint8_t* text, uint32_t bytes, Bytes8 suffix) {
  const uint32_t slots = t.piece_slots;
  if (slots == 0) return -1;
  const bool wide = has(t, kWideIds);
  uint32_t length = prefix.size + bytes + suffix.size;
  for (uint32_t i = 0; has_plain_spaces(t) && i < bytes; ++i) length += text[i] == ' ' ? kWordMarkBytes - 1 : 0;
  uint32_t slot = hash_slot(hash_end(h), slots);
  for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
    const uint32_t entry = load_id(t.piece_index + (wide ? 4 : 2) * size_t{slot}, wide);
    if (entry == 0) return -1;
    if (piece_length(t, entry - 1) == length && piece_is(t, entry - 1, prefix, text, bytes, suffix)) return static_cast<int32_t>(entry - 1);
    if (++slot == slots) slot = 0;
  }
  return -1;
}

uint32_t find_merge(const Tables& t, uint32_t left, uint32_t right) {
  const uint32_t slots = t.merge_slots;
  if (slots == 0) return UINT32_MAX;
  uint32_t slot = hash_slot(hash_pair(left, right), slots);
  const bool wide = has(t, kWideIds);
  for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
    const Merge m = merge_at(t, slot, wide);
    if (m.left == left && m.right == right) return m.rank;
    if (m.left == no_id(wide)) break;
    if (++slot == slots) slot = 0;
  }
  return UINT32_MAX;
}

}  // namespace ert::text
