// The tables of a tokenizer segment as plain pointers, and the questions that encoding asks them. Built once by open_tables, which verifies
// that every position these functions can reach lies inside; what would cost more than one look at each byte is checked where it is used.
#pragma once

#include <string.h>

#include "rt/base/small_code.h"
#include "rt/include/ert_text.h"
#include "rt/text/format.h"
#include "rt/text/linked.h"

namespace ert::text {

template <class T>
struct Row {
  const T* data = nullptr;
  uint32_t size = 0;
};

struct CodeTable {
  const uint16_t* top = nullptr;
  const uint16_t* mid = nullptr;
  const uint8_t* values = nullptr;
  uint32_t tops = 0;

  uint32_t leaf(uint32_t c) const {
    return c >> 12 >= tops ? UINT32_MAX : mid[top[c >> 12] * 64u + (c >> 6 & 63)] * 64u + (c & 63);
  }
  uint32_t byte(uint32_t c) const {
    const uint32_t i = leaf(c);
    return i == UINT32_MAX ? 0 : values[i];
  }
  uint32_t word(uint32_t c) const {
    const uint32_t i = leaf(c);
    return i == UINT32_MAX ? 0 : values[2 * i] | uint32_t{values[2 * i + 1]} << 8;
  }
};

using Bytes8 = Row<uint8_t>;

struct Tables {
  uint64_t magic;
  const uint8_t* base;
  const TablesHeader* header;
  const Section* sections;
  const Ending* ending;
  Row<Ending> endings;     // the one of `ending`
  Row<NgramTable> ngrams;  // none unless the kind is ERT_TEXT_NGRAM
  Row<Step> normalizer, pretokenizer, decoder;
  Row<AddedToken> added;
  Row<TemplatePiece> pieces_of_template;
  Row<uint32_t> piece_blocks, piece_trie, added_trie, added_normalized_trie, charsmap_trie;
  Row<Composition> compositions;
  Row<int32_t> byte_ids;
  Bytes8 strings, pieces, mappings, charsmap_strings, whole_pieces;
  const uint8_t* piece_lengths;
  const uint8_t* piece_index;
  const uint8_t* merges;
  const uint8_t* scores;
  const uint8_t* merge_results;
  uint32_t piece_slots, merge_slots, merge_ranks;
  uint32_t words_are_apart;  // BPE: no piece has U+2581 behind another character, so that what stands before one never joins it
  CodeTable classes, rule_classes, decompositions, compatible, combining, lowercase,
      graphemes;  // rule_classes, compatible: the one before, where absent
};

// Null unless t was filled by ert_text_open.
const Tables* tables_of(const ert_text* t);

// Null for a section that is absent.
inline const Section* find_section(const Section* sections, uint32_t count, SectionKind kind) {
  for (uint32_t i = 0; i < count; ++i)
    if (sections[i].kind == static_cast<uint32_t>(kind)) return &sections[i];
  return nullptr;
}

inline bool text_inside(const Tables& t, const Text& s) {
  return s.offset <= t.strings.size && s.bytes <= t.strings.size - s.offset;
}

// Ids and ranks have two bytes, or four with kWideIds.
inline uint32_t load_id(const uint8_t* p, bool wide) {
  const uint32_t low = p[0] | uint32_t{p[1]} << 8;
  return wide ? low | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24 : low;
}
constexpr uint32_t no_id(bool wide) { return wide ? UINT32_MAX : UINT16_MAX; }

struct Merge {
  uint32_t left, right, rank;  // left is no_id in an empty slot
};
inline Merge merge_at(const Tables& t, size_t slot, bool wide) {
  const size_t bytes = wide ? 4 : 2;
  const uint8_t* p = t.merges + 3 * bytes * slot;
  return {load_id(p, wide), load_id(p + bytes, wide), load_id(p + 2 * bytes, wide)};
}

inline bool has(const Tables& t, Flags f) { return (t.header->flags & f) != 0; }
// Where no linked step leaves spaces to the tables, there are none.
inline bool has_plain_spaces(const Tables& t) { return kMarksAreLinked && has(t, kPlainSpaces); }
inline const uint8_t* string_of(const Tables& t, const Text& s) { return t.strings.data + s.offset; }

inline uint32_t piece_length(const Tables& t, uint32_t id) {
  if (!has(t, kWideLengths)) return t.piece_lengths[id];
  return t.piece_lengths[2 * size_t{id}] | uint32_t{t.piece_lengths[2 * size_t{id} + 1]} << 8;
}

// First byte of an id's piece. id < vocabulary.
inline const uint8_t* piece_data(const Tables& t, uint32_t id) {
  const uint32_t first = id / kPiecesPerBlock * kPiecesPerBlock;
  uint32_t at = t.piece_blocks.data[id / kPiecesPerBlock], i = first;
#if !ERT_SMALL_CODE && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  // All lengths of a block at once, without a branch that depends on the id.
  if (!has(t, kWideLengths) && first + kPiecesPerBlock <= t.header->vocabulary) {
    uint64_t low, high;
    memcpy(&low, t.piece_lengths + first, sizeof low);
    memcpy(&high, t.piece_lengths + first + sizeof low, sizeof high);
    const uint32_t before = id - first, in_low = before < 8 ? before : 8, in_high = before - in_low;
    low &= in_low == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * in_low) - 1;
    high &= (uint64_t{1} << 8 * in_high) - 1;
    constexpr uint64_t kEven = 0x00ff00ff00ff00ffu;
    const uint64_t sums = (low & kEven) + (low >> 8 & kEven) + (high & kEven) + (high >> 8 & kEven);
    return t.pieces.data + at + (sums * 0x0001000100010001u >> 48);
  }
#endif
  if (!has(t, kWideLengths)) {
    // Four lengths at a time: their sums in halves of a word.
    for (; i + 4 <= id; i += 4) {
      uint32_t four;
      memcpy(&four, t.piece_lengths + i, sizeof four);
      four = (four & 0x00ff00ffu) + (four >> 8 & 0x00ff00ffu);
      at += (four & 0xffffu) + (four >> 16);
    }
    for (; i < id; ++i) at += t.piece_lengths[i];
    return t.pieces.data + at;
  }
  for (; i < id; ++i) at += piece_length(t, i);
  return t.pieces.data + at;
}

// U+2581, which SentencePiece has in the place of spaces.
constexpr uint32_t kWordMarkBytes = 3;
inline bool starts_with_word_mark(const uint8_t* p, size_t bytes) {
  return bytes >= kWordMarkBytes && p[0] == 0xe2 && p[1] == 0x96 && p[2] == 0x81;
}

// The same in text on its way to the model: bytes of the mark that it starts with, or 0.
inline uint32_t word_mark(const Tables& t, const uint8_t* p, size_t bytes) {
  if (has_plain_spaces(t)) return bytes != 0 && p[0] == ' ' ? 1 : 0;
  return starts_with_word_mark(p, bytes) ? kWordMarkBytes : 0;
}

// The id of `prefix` + `text` + `suffix`, whose hash (before hash_end) is h; -1 if it is no piece.
int32_t find_piece(const Tables& t, uint32_t h, Bytes8 prefix, const uint8_t* text, uint32_t bytes, Bytes8 suffix);

inline uint32_t hash_bytes(uint32_t h, const uint8_t* p, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) h = hash_byte(h, p[i]);
  return h;
}

// The id of a piece, or -1.
inline int32_t find_piece(const Tables& t, const uint8_t* text, uint32_t bytes) {
  return find_piece(t, hash_bytes(kHashStart, text, bytes), {}, text, bytes, {});
}

// The rank of a pair, or UINT32_MAX where the two do not merge.
uint32_t find_merge(const Tables& t, uint32_t left, uint32_t right);

// What the pair of a rank becomes.
inline uint32_t merge_result(const Tables& t, uint32_t rank) {
  const bool wide = has(t, kWideIds);
  return load_id(t.merge_results + (wide ? 4 : 2) * size_t{rank}, wide);
}

// A word that is the piece of this id becomes it, without a look at merges. id < vocabulary.
inline bool is_whole(const Tables& t, uint32_t id) { return (t.whole_pieces.data[id / 8] >> (id % 8) & 1) != 0; }

inline double score_of(const Tables& t, uint32_t id) {
  if (has(t, kDoubleScores)) {
    double d;
    memcpy(&d, t.scores + 8 * size_t{id}, 8);
    return d;
  }
  float f;
  memcpy(&f, t.scores + 4 * size_t{id}, 4);
  return static_cast<double>(f);
}

// The mapping that a code table's value names: its bytes, none for 0.
inline Bytes8 mapping(const Tables& t, uint32_t value) {
  if (value == 0) return {};
  const uint8_t* p = t.mappings.data + 2 * size_t{value - 1};
  return {p + 1, p[0]};
}

// Verifies `bytes` bytes at `data` and fills *t.
ert_status open_tables(Tables* t, const uint8_t* data, size_t bytes);

}  // namespace ert::text
