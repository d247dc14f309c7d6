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

// A piece with U+2581 where the text has a space.
bool same_with_marks(const uint8_t* piece, uint32_t piece_bytes, const uint8_t* text, uint32_t bytes) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    if (text[i] != ' ') {
      if (at == piece_bytes || piece[at] != text[i]) return false;
      ++at;
    } else {
      if (!starts_with_word_mark(piece + at, piece_bytes - at)) return false;
      at += kWordMarkBytes;
    }
  }
  return at == piece_bytes;
}

bool piece_is(const Tables& t, uint32_t id, Bytes8 prefix, const uint8_t* text, uint32_t bytes, Bytes8 suffix) {
  if (has_plain_spaces(t)) return same_with_marks(piece_data(t, id), piece_length(t, id), text, bytes);
  if (piece_length(t, id) != prefix.size + bytes + suffix.size) return false;
  const uint8_t* piece = piece_data(t, id);
  return same(piece + prefix.size, text, bytes) && same(piece, prefix.data, prefix.size) &&
         same(piece + prefix.size + bytes, suffix.data, suffix.size);
}

}  // namespace

int32_t find_piece(const Tables& t, uint32_t h, Bytes8 prefix, const uint8_t* text, uint32_t bytes, Bytes8 suffix) {
  const uint32_t slots = t.piece_slots;
  if (slots == 0) return -1;
  const bool wide = has(t, kWideIds);
  uint32_t slot = hash_slot(hash_end(h), slots);
  for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
    const uint32_t entry = load_id(t.piece_index + (wide ? 4 : 2) * size_t{slot}, wide);
    if (entry == 0) return -1;
    if (piece_is(t, entry - 1, prefix, text, bytes, suffix)) return static_cast<int32_t>(entry - 1);
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
