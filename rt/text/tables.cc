// Lookups in the tables of a tokenizer.
#include "rt/text/tables.h"

namespace ert::text {

namespace {

uint32_t load16(const uint8_t* p) { return p[0] | uint32_t{p[1]} << 8; }
uint32_t load32(const uint8_t* p) { return load16(p) | load16(p + 2) << 16; }

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
  if (has(t, kPlainSpaces)) return same_with_marks(piece_data(t, id), piece_length(t, id), text, bytes);
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
    const uint32_t entry = wide ? load32(t.piece_index + 4 * size_t{slot}) : load16(t.piece_index + 2 * size_t{slot});
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
  if (has(t, kWideIds)) {
    for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
      Merge32 m;
      memcpy(&m, t.merges + sizeof m * size_t{slot}, sizeof m);
      if (m.left == left && m.right == right) return m.rank;
      if (m.left == UINT32_MAX) break;
      if (++slot == slots) slot = 0;
    }
    return UINT32_MAX;
  }
  for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
    Merge16 m;
    memcpy(&m, t.merges + sizeof m * size_t{slot}, sizeof m);
    if (m.left == left && m.right == right) return m.rank;
    if (m.left == UINT16_MAX) break;
    if (++slot == slots) slot = 0;
  }
  return UINT32_MAX;
}

}  // namespace ert::text
