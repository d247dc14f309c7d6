// Opens a tokenizer segment: verifies all that lookups rely on, in work that is linear in its bytes. More than 300 lines, because every rule of the format is here.
#include <stddef.h>

#include "rt/base/small_code.h"
#include "rt/loading/model.h"
#include "rt/text/linked.h"
#include "rt/text/tables.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

constexpr uint64_t kTextMagic = 0x3154584554545245;  // "ERTTEXT1"

// Where a section's rows, its bytes or its code table go in Tables. In a list and not in calls: those took 1 KB of code.
struct Place {
  SectionKind kind;
  uint8_t width;  // bytes of an element
  uint16_t offset;
};
#define ERT_PLACE(kind, width, member) \
  { SectionKind::kind, width, static_cast<uint16_t>(offsetof(Tables, member)) }
constexpr Place kRows[] = {ERT_PLACE(kNormalizer, sizeof(Step), normalizer),
                           ERT_PLACE(kPretokenizer, sizeof(Step), pretokenizer),
                           ERT_PLACE(kDecoder, sizeof(Step), decoder),
                           ERT_PLACE(kAddedTokens, sizeof(AddedToken), added),
                           ERT_PLACE(kTemplate, sizeof(TemplatePiece), pieces_of_template),
                           ERT_PLACE(kPieceBlocks, 4, piece_blocks),
                           ERT_PLACE(kPieceTrie, 4, piece_trie),
                           ERT_PLACE(kAddedTrie, 4, added_trie),
                           ERT_PLACE(kAddedNormalizedTrie, 4, added_normalized_trie),
                           ERT_PLACE(kCharsmapTrie, 4, charsmap_trie),
                           ERT_PLACE(kCompositions, sizeof(Composition), compositions),
                           ERT_PLACE(kByteIds, 4, byte_ids),
                           ERT_PLACE(kEnding, sizeof(Ending), endings),
                           ERT_PLACE(kNgrams, sizeof(NgramTable), ngrams),
                           ERT_PLACE(kStrings, 1, strings),
                           ERT_PLACE(kPieces, 1, pieces),
                           ERT_PLACE(kMappings, 1, mappings),
                           ERT_PLACE(kCharsmapStrings, 1, charsmap_strings)};
constexpr Place kCodeTables[] = {ERT_PLACE(kClasses, 1, classes),
                                 ERT_PLACE(kRuleClasses, 1, rule_classes),
                                 ERT_PLACE(kDecompositions, 2, decompositions),
                                 ERT_PLACE(kCompatible, 2, compatible),
                                 ERT_PLACE(kCombining, 1, combining),
                                 ERT_PLACE(kLowercase, 2, lowercase),
                                 ERT_PLACE(kGraphemes, 1, graphemes)};
#undef ERT_PLACE

// The sections of a segment. False: one is not a whole number of rows.
class Sections {
 public:
  Sections(const uint8_t* data, const TablesHeader& h)
      : data_(data), rows_(placed<const Section>(data + sizeof h)), count_(h.sections) {}

  const Section* find(SectionKind kind) const { return find_section(rows_, count_, kind); }
  bool fill_rows(Tables* t) const;
  bool fill_code_tables(Tables* t) const;
  // A row whose elements have `width` bytes.
  bool wide_row(SectionKind kind, uint32_t width, const uint8_t** out, uint32_t* count) const;

 private:
  bool code_table(const Section& s, uint32_t width, const Tables& t, CodeTable* out) const;
  const uint8_t* data_;
  const Section* rows_;
  uint32_t count_;
};

__attribute__((noinline)) bool Sections::wide_row(SectionKind kind, uint32_t width, const uint8_t** out, uint32_t* count) const {
  const Section* s = find(kind);
  *out = nullptr, *count = 0;
  if (s == nullptr) return true;
  *out = data_ + s->offset, *count = s->count;
  return s->count == s->bytes / width && s->bytes % width == 0;
}

bool Sections::fill_rows(Tables* t) const {
  for (const Place& p : kRows) {
    Row<uint8_t> row;
    // Bytes that others point into may have any count: theirs was never looked at.
    if (p.width == 1) {
      if (const Section* s = find(p.kind)) row = {data_ + s->offset, s->bytes};
    } else if (!wide_row(p.kind, p.width, &row.data, &row.size)) {
      return false;
    }
    memcpy(static_cast<uint8_t*>(static_cast<void*>(t)) + p.offset, &row, sizeof row);
  }
  return true;
}

bool Sections::code_table(const Section& s, uint32_t width, const Tables& t, CodeTable* out) const {
  if (s.bytes < sizeof(CodeTableHeader)) return false;
  CodeTableHeader h;
  memcpy(&h, data_ + s.offset, sizeof h);
  if (h.width != width || h.tops > 272 || h.mids > 4096 || h.leaves > 32768) return false;
  const size_t rows = (size_t{h.tops} + 64 * size_t{h.mids} + 1) / 2 * 4;
  if (s.bytes != sizeof h + rows + 64 * size_t{h.leaves} * width) return false;
  out->top = placed<const uint16_t>(data_ + s.offset + sizeof h);
  out->mid = out->top + h.tops;
  out->values = data_ + s.offset + sizeof h + rows;
  out->tops = h.tops;
  for (uint32_t i = 0; i < h.tops; ++i)
    if (out->top[i] >= h.mids) return false;
  for (uint32_t i = 0; i < 64 * h.mids; ++i)
    if (out->mid[i] >= h.leaves) return false;
  // All values of a table of two bytes lead into kMappings.
  for (size_t i = 0; width == 2 && i < 64 * size_t{h.leaves}; ++i) {
    const uint32_t v = out->values[2 * i] | uint32_t{out->values[2 * i + 1]} << 8;
    const size_t at = 2 * size_t{v} - 2;
    if (v != 0 && (at >= t.mappings.size || t.mappings.data[at] >= t.mappings.size - at)) return false;
  }
  return true;
}

bool Sections::fill_code_tables(Tables* t) const {
  for (const Place& p : kCodeTables) {
    CodeTable table;
    const Section* s = find(p.kind);
    if (s != nullptr && !code_table(*s, p.width, *t, &table)) return false;
    memcpy(static_cast<uint8_t*>(static_cast<void*>(t)) + p.offset, &table, sizeof table);
  }
  if (find(SectionKind::kRuleClasses) == nullptr) t->rule_classes = t->classes;
  if (find(SectionKind::kCompatible) == nullptr) t->compatible = t->decompositions;
  return true;
}

bool steps_fit(const Tables& t, const Row<Step>& steps, uint32_t kinds) {
  if (steps.size > kMostSteps) return false;
  for (uint32_t i = 0; i < steps.size; ++i) {
    const Step& s = steps.data[i];
    if (s.kind == 0 || s.kind >= kinds || !text_inside(t, s.a) || !text_inside(t, s.b)) return false;
    if (s.a.bytes > kLongestString || s.b.bytes > kLongestString) return false;
  }
  return true;
}

bool pieces_fit(const Tables& t) {
  const uint32_t n = t.header->vocabulary;
  if (t.piece_blocks.size != (n + kPiecesPerBlock - 1) / kPiecesPerBlock) return false;
  uint64_t at = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (i % kPiecesPerBlock == 0 && t.piece_blocks.data[i / kPiecesPerBlock] != at) return false;
    at += piece_length(t, i);
  }
  return at == t.pieces.size;
}

// See Tables::words_are_apart. Nothing calls it in a build without such tokenizers.
[[maybe_unused]] bool words_apart(const Tables& t) {
  if ((t.header->kind != ERT_TEXT_BPE && t.header->kind != ERT_TEXT_SENTENCEPIECE_BPE) ||
      (t.header->flags & (kByteLevel | kIgnoreMerges | kHasPrefix | kHasSuffix)) != 0)
    return false;
  const uint8_t* p = t.pieces.data;
  for (uint32_t id = 0; id < t.header->vocabulary; ++id) {
    const uint32_t bytes = piece_length(t, id);
    uint32_t i = 0;
    while (starts_with_word_mark(p + i, bytes - i)) i += kWordMarkBytes;
    for (; i < bytes; ++i)
      if (starts_with_word_mark(p + i, bytes - i)) return false;
    p += bytes;
  }
  const uint8_t* mark = placed<const uint8_t>(has(t, kPlainSpaces) ? " " : "\xe2\x96\x81");
  return find_piece(t, mark, has(t, kPlainSpaces) ? 1 : kWordMarkBytes) >= 0;
}

bool ids_below(const uint8_t* p, uint32_t count, bool wide, uint32_t most) {
  for (size_t i = 0; i < count; ++i)
    if (load_id(p + (wide ? 4 : 2) * i, wide) > most) return false;
  return true;
}

bool merges_fit(const Tables& t) {
  const uint32_t n = t.header->vocabulary;
  const bool wide = has(t, kWideIds);
  for (size_t i = 0; i < t.merge_slots; ++i) {
    const Merge m = merge_at(t, i, wide);
    if (m.left != no_id(wide) && (m.left >= n || m.right >= n || m.rank >= t.merge_ranks)) return false;
  }
  return true;
}

// Else a short text of spaces that a charsmap made of each of its characters would take the product of both lengths: what is trimmed needs no room.
bool mappings_short(const Tables& t) {
  if constexpr (!kCharsmapIsLinked) return true;
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < t.charsmap_strings.size; ++i) {
    bytes = t.charsmap_strings.data[i] == 0 ? 0 : bytes + 1;
    if (bytes > kLongestMapping) return false;
  }
  return true;
}

bool ids_fit(const Tables& t) {
  const int32_t n = static_cast<int32_t>(t.header->vocabulary);
  if (t.header->unknown < -1 || t.header->unknown >= n) return false;
  for (uint32_t i = 0; i < t.byte_ids.size; ++i)
    if (t.byte_ids.data[i] < -1 || t.byte_ids.data[i] >= n) return false;
  for (uint32_t i = 0; i < t.added.size; ++i) {
    const AddedToken& a = t.added.data[i];
    if (a.id < 0 || !text_inside(t, a.content) || (i != 0 && a.id <= t.added.data[i - 1].id)) return false;
  }
  for (uint32_t i = 0; i < t.pieces_of_template.size; ++i)
    if (t.pieces_of_template.data[i].kind > 2) return false;
  return t.byte_ids.size == 0 || t.byte_ids.size == 256;
}

// What the steps and the kind look things up in is there.
bool complete(const Tables& t) {
  const auto needs = [&t](NormalizerKind k) {
    for (uint32_t i = 0; i < t.normalizer.size; ++i)
      if (t.normalizer.data[i].kind == static_cast<uint32_t>(k)) return true;
    return false;
  };
  if (kCharsmapIsLinked && (needs(NormalizerKind::kPrecompiled) || needs(NormalizerKind::kSentencePiece)) &&
      (t.charsmap_strings.size == 0 || t.charsmap_strings.data[t.charsmap_strings.size - 1] != 0))
    return t.charsmap_trie.size == 0 && t.charsmap_strings.size == 0;
  const uint32_t kind = t.header->kind;
  if (has(t, kPlainSpaces) && ((kind != ERT_TEXT_UNIGRAM && kind != ERT_TEXT_BPE && kind != ERT_TEXT_SENTENCEPIECE_BPE) ||
                               (t.header->flags & (kByteLevel | kHasPrefix | kHasSuffix)) != 0))
    return false;
  switch (kind) {
    case ERT_TEXT_UNIGRAM: return t.scores != nullptr && t.piece_trie.size != 0 && t.header->least < t.header->vocabulary;
    case ERT_TEXT_BPE:
    case ERT_TEXT_SENTENCEPIECE_BPE: return !has(t, kByteLevel) || t.byte_ids.size == 256;
    case ERT_TEXT_NGRAM: {
      if constexpr (!linked_kind(ERT_TEXT_NGRAM)) return true;
      const NgramTable* n = t.ngrams.data;  // the one row that a table of this kind has
      return n->buckets <= kMostBuckets && n->first_hash < n->buckets && n->no_text < n->buckets &&
             n->first_script != 0 && n->first_script <= n->first_hash && n->first_hash - n->first_script >= kNgramScripts &&
             n->reserved[0] == 0 && n->reserved[1] == 0 && n->reserved[2] == 0;
    }
    default: return true;
  }
}

ert_status section_table(const uint8_t* data, size_t bytes, TablesHeader* h) {
  if (bytes < sizeof *h) return ERT_ERR_FORMAT;
  memcpy(h, data, sizeof *h);
  if (h->magic != kTablesMagic) return ERT_ERR_FORMAT;
  if (h->version != kTablesVersion || (h->flags & ~uint32_t{kKnownFlags}) != 0) return ERT_ERR_VERSION;
  if (h->bytes != bytes || h->sections > 64 || h->reserved[0] != 0 || h->reserved[1] != 0 || h->reserved[2] != 0)
    return ERT_ERR_FORMAT;
  const size_t first = sizeof *h + sizeof(Section) * size_t{h->sections};
  if (first > bytes) return ERT_ERR_FORMAT;
  const Section* rows = placed<const Section>(data + sizeof *h);
  uint64_t end = first;
  for (uint32_t i = 0; i < h->sections; ++i) {
    const Section& s = rows[i];
    if (s.kind == 0 || s.kind >= static_cast<uint32_t>(SectionKind::kCount)) return ERT_ERR_VERSION;
    if (i != 0 && s.kind <= rows[i - 1].kind) return ERT_ERR_FORMAT;
    if (s.offset != (end + 7) / 8 * 8 || s.offset > bytes || s.bytes > bytes - s.offset) return ERT_ERR_FORMAT;
    end = uint64_t{s.offset} + s.bytes;
  }
  return end == bytes ? ERT_OK : ERT_ERR_FORMAT;
}

}  // namespace

ert_status open_tables(Tables* t, const uint8_t* data, size_t bytes) {
  TablesHeader h;
  if (const ert_status s = section_table(data, bytes, &h); s != ERT_OK) return s;
  if (h.kind > ERT_TEXT_NGRAM || (kLinkedKinds >> h.kind & 1) == 0) return ERT_ERR_UNSUPPORTED;
  if (h.vocabulary > INT32_MAX || h.expansion == 0 || h.expansion > 64 || h.extra > kMostExtra) return ERT_ERR_MODEL;
  *t = Tables{};
  t->base = data;
  t->header = placed<const TablesHeader>(data);
  t->sections = placed<const Section>(data + sizeof h);
  const Sections s(data, h);
  const uint32_t n = h.vocabulary;
  uint32_t lengths = 0, scores = 0;
  using K = SectionKind;
  const uint32_t id_bytes = (h.flags & kWideIds) != 0 ? 4 : 2;
  if (!s.fill_rows(t) || t->endings.size != 1 || t->ngrams.size != (h.kind == ERT_TEXT_NGRAM ? 1 : 0) ||
      !s.wide_row(K::kPieceLengths, (h.flags & kWideLengths) != 0 ? 2 : 1, &t->piece_lengths, &lengths) || lengths != n ||
      !s.wide_row(K::kPieceIndex, id_bytes, &t->piece_index, &t->piece_slots) ||
      !s.wide_row(K::kMerges, 3 * id_bytes, &t->merges, &t->merge_slots) ||
      !s.wide_row(K::kMergeResults, id_bytes, &t->merge_results, &t->merge_ranks) ||
      !s.wide_row(K::kScores, (h.flags & kDoubleScores) != 0 ? 8 : 4, &t->scores, &scores) ||
      (t->scores != nullptr && scores != n) || !s.fill_code_tables(t))
    return ERT_ERR_MODEL;
  const Ending& e = *t->endings.data;
  t->ending = &e;
  if (!text_inside(*t, e.prefix) || !text_inside(*t, e.suffix) || !text_inside(*t, e.unknown) ||
      e.single_pieces > t->pieces_of_template.size || e.truncation > ERT_TRUNCATE_SECOND || e.trim > 2 ||
      t->pieces_of_template.size > kMostTemplatePieces || (h.kind == ERT_TEXT_WORDPIECE && h.longest > kLongestKey))
    return ERT_ERR_MODEL;
  if (!steps_fit(*t, t->normalizer, static_cast<uint32_t>(NormalizerKind::kCount)) ||
      !steps_fit(*t, t->pretokenizer, static_cast<uint32_t>(PretokenizerKind::kCount)) ||
      !steps_fit(*t, t->decoder, static_cast<uint32_t>(DecoderKind::kCount)) || !pieces_fit(*t) ||
      !ids_below(t->piece_index, t->piece_slots, id_bytes == 4, n) || !merges_fit(*t) ||
      (n == 0 ? t->merge_ranks != 0 : !ids_below(t->merge_results, t->merge_ranks, id_bytes == 4, n - 1)) || !ids_fit(*t) ||
      !mappings_short(*t) || !complete(*t))
    return ERT_ERR_MODEL;
  if constexpr (!kCodeIsSmall) {
    if (const Section* whole = s.find(K::kWholePieces)) t->whole_pieces = {data + whole->offset, whole->bytes};
    if (t->whole_pieces.size != 0 && t->whole_pieces.size != (n + 7) / 8) return ERT_ERR_MODEL;
  }
  if constexpr (kWordsMayBeApart) t->words_are_apart = words_apart(*t);
  t->magic = kTextMagic;
  return ERT_OK;
}

const Tables* tables_of(const ert_text* t) {
  static_assert(sizeof(Tables) <= sizeof(ert_text), "ert_text is caller storage of fixed size");
  const Tables* tables = placed<const Tables>(t);
  return t != nullptr && tables->magic == kTextMagic ? tables : nullptr;
}

}  // namespace ert::text

ert_status ert_text_open_tables(ert_text* t, const void* tables, size_t bytes) {
  if (t == nullptr || tables == nullptr) return ERT_ERR_ARG;
  memset(t, 0, sizeof *t);
  if (reinterpret_cast<uintptr_t>(tables) % 8 != 0) return ERT_ERR_ALIGN;
  return ert::text::open_tables(ert::text::placed<ert::text::Tables>(t), static_cast<const uint8_t*>(tables), bytes);
}

ert_status ert_text_open(ert_text* t, const ert_model* m) {
  const ert::ModelState* s = m == nullptr ? nullptr : ert::model_state(m);
  if (t == nullptr || s == nullptr) return ERT_ERR_ARG;
  memset(t, 0, sizeof *t);
  for (uint32_t i = 0; i < s->segments; ++i) {
    const ert::fb::Segment& segment = s->segment_table[i];
    if (ert::kind_of(segment) == ert::SegmentKind::kTokenizer)
      return ert_text_open_tables(t, s->blob + segment.offset(), static_cast<size_t>(segment.bytes()));
  }
  return ERT_ERR_UNSUPPORTED;
}
