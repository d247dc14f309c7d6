// From text to tokens: added tokens, normalizer, pre-tokenizer, model.
#include "rt/text/encode.h"

#include "rt/base/abi.h"
#include "rt/text/added_tokens.h"
#include "rt/text/linked.h"
#include "rt/text/models.h"
#include "rt/text/normalize.h"
#include "rt/text/pretokenize.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

constexpr uint8_t kReplacementBytes[] = {0xef, 0xbf, 0xbd};

// Fills main with valid UTF-8. A normalizer that begins by dropping U+FFFD gets none.
bool load(Encoder& e, size_t from, size_t to) {
  const Tables& t = *e.tables;
  const bool spm = kSpmUtf8IsLinked && has(t, kSpmUtf8);
  const bool drops = linked_normalizer(NormalizerKind::kBertClean) && t.normalizer.size != 0 &&
                     t.normalizer.data[0].kind == static_cast<uint32_t>(NormalizerKind::kBertClean);
  const uint8_t* text = e.original;
  const size_t room = e.room();
  Buffer& b = e.main;
  b.size = 0;
  for (size_t i = from; i < to;) {
    if (text[i] < 0x80) {
      if (b.size == room) return false;
      b.text[b.size] = text[i];
      b.spans[b.size++] = {static_cast<uint32_t>(i), static_cast<uint32_t>(i + 1)};
      ++i;
      continue;
    }
    const Character c = spm ? foreign_character_spm(text + i, text + to) : foreign_character(text + i, text + to);
    const ert_span span{static_cast<uint32_t>(i), static_cast<uint32_t>(i + c.bytes)};
    const bool replaced = c.code == kReplacement;
    if (!(drops && replaced) && !append(b, room, replaced ? kReplacementBytes : text + i, replaced ? 3 : c.bytes, span)) return false;
    i += c.bytes;
  }
  return true;
}

void mark_added(Encoder& e) {
  memset(e.marks, kInside, e.main.size);
  e.marks[0] = kPiece;
  AddedTokens added(*e.tables, e.tables->added_normalized_trie, e.main.text, e.main.size, false);
  size_t end = 0;
  for (AddedMatch m; added.next(&m);) {
    if (m.begin < end && end < e.main.size) e.marks[end] = kInside;
    end = m.end;
    if (m.core > m.begin) e.marks[m.core] = kAddedCore;
    if (m.core < m.begin && e.marks[m.core] == kInside) e.marks[m.core] = kLaterCore;
    e.marks[m.begin] = kAddedToken;
    if (end < e.main.size) e.marks[end] = kPiece;
  }
}

// The token whose region this is: found again, because a mark has no room for it. Hashed n-grams of many short pieces are more than their bytes, so
// that room is asked for here too.
bool emit_added(Encoder& e, AddedTokens& blanks, size_t begin, size_t end) {
  if (e.room() == 0) return false;
  size_t core = begin;
  for (size_t i = begin + 1; i < end; ++i)
    if (e.marks[i] == kAddedCore) core = i;
  for (size_t i = begin; core == begin && i > 1 && inside(e.marks[i - 1]); --i)
    if (e.marks[i - 1] == kLaterCore) core = i - 1;
  size_t core_end;
  const AddedToken* token;
  const AddedTokens added(*e.tables, e.tables->added_normalized_trie, e.main.text, end, false);
  if (!added.longest_at(core, &core_end, &token)) return false;
  // Another token begins in the white space that this one took, and is cut off its region, but not off its span.
  if ((token->flags & kAddedRstrip) != 0 && end < e.main.size && e.marks[end] == kAddedToken)
    if (const size_t taken = blanks.behind_blanks(core_end); taken > end) end = taken;
  e.emit(token->id, begin, end);
  trim_by(e, e.main.text + begin, e.main.text + end, true);
  return true;
}

ert_status encode_segment(Encoder& e, Model model, size_t from, size_t to) {
  if (!load(e, from, to) || !normalize(e)) return ERT_ERR_MODEL;
  if (e.main.size == 0) return ERT_OK;
  mark_added(e);
  if (!pretokenize(e)) return ERT_ERR_MODEL;
  AddedTokens blanks(*e.tables, e.tables->added_normalized_trie, e.main.text, e.main.size, false);
  for (size_t i = 0; i < e.main.size;) {
    const size_t end = region_end(e, i), first = e.token_count;
    if (e.marks[i] == kPiece ? !model(e, i, end) : e.marks[i] == kAddedToken && !emit_added(e, blanks, i, end))
      return ERT_ERR_MODEL;
    if (e.token_count > first) e.tokens[first].end |= kWordStart;
    i = end;
  }
  return ERT_OK;
}

}  // namespace

Bytes elements(const Tables& t, size_t bytes, size_t pair_bytes) {
  constexpr size_t kMost = size_t{1} << 30;
  if (bytes > kMost || pair_bytes > kMost) return Bytes(UINT64_MAX);
  const uint64_t n = t.header->expansion * (uint64_t{bytes} + pair_bytes) + kElementsBeside;
  return Bytes(n <= kMost ? n : UINT64_MAX);
}

ert_status encode_text(Encoder& e, const uint8_t* text, size_t bytes) {
  const Tables& t = *e.tables;
  const Model model = model_of(t.header->kind);
  if (model == nullptr) return ERT_ERR_UNSUPPORTED;
  e.original = text, e.original_bytes = bytes;
  // User defined symbols of SentencePiece models are found by its normalizer.
  const bool raw = !has(t, kSpmUtf8);
  AddedTokens added(t, raw ? t.added_trie : Row<uint32_t>{}, text, bytes, true);
  const size_t before = e.token_count;
  size_t at = 0;
  for (AddedMatch m; added.next(&m);) {
    if (at < m.begin)
      if (const ert_status s = encode_segment(e, model, at, m.begin); s != ERT_OK) return s;
    if (e.room() == 0) return ERT_ERR_MODEL;
    e.tokens[e.token_count++] = {m.token->id, static_cast<uint32_t>(m.begin), static_cast<uint32_t>(m.end)};
    trim_by(e, text + m.begin, text + m.end, true);
    e.tokens[e.token_count - 1].end |= kWordStart;
    at = m.end;
  }
  if (at < bytes)
    if (const ert_status s = encode_segment(e, model, at, bytes); s != ERT_OK) return s;
  if (t.ngrams.size != 0 && e.token_count == before) {
    if (e.room() == 0) return ERT_ERR_MODEL;
    e.tokens[e.token_count++] = {static_cast<int32_t>(t.ngrams.data->no_text), 0, static_cast<uint32_t>(bytes) | kWordStart};
  }
  return ERT_OK;
}

}  // namespace ert::text

ert_status ert_text_bytes(const ert_text* t, size_t max_bytes, size_t max_pair_bytes, size_t* need) {
  using namespace ert::text;
  const Tables* tables = tables_of(t);
  if (tables == nullptr || need == nullptr) return ERT_ERR_ARG;
  const ert::Bytes bytes = elements(*tables, max_bytes, max_pair_bytes) * ert::Bytes(kBytesOfElement) +
                           ert::Bytes(4096 - kElementsBeside * kBytesOfElement);
  return bytes.get(need) ? ERT_OK : ERT_ERR_LIMIT;
}

ert_status ert_text_encode(const ert_text* text_tables, const ert_text_options* options, const void* text, size_t bytes,
                           const void* pair, size_t pair_bytes, void* work, size_t work_bytes, ert_encoding* out) {
  using namespace ert::text;
  const Tables* t = tables_of(text_tables);
  ert_text_options o{};
  o.struct_size = sizeof o;
  if (t == nullptr || work == nullptr || out == nullptr || (text == nullptr && bytes != 0)) return ERT_ERR_ARG;
  if (options != nullptr && !ert::read_struct(options, &o)) return ERT_ERR_ARG;
  if (o.truncation > ERT_TRUNCATE_SECOND) return ERT_ERR_ARG;
  if (reinterpret_cast<uintptr_t>(work) % 8 != 0) return ERT_ERR_ALIGN;
  if (pair == nullptr) pair_bytes = 0;
  size_t need;
  if (const ert_status s = ert_text_bytes(text_tables, bytes, pair_bytes, &need); s != ERT_OK) return s;
  if (work_bytes < need) return ERT_ERR_NOMEM;

  uint8_t* at = static_cast<uint8_t*>(work);
  Kept& kept = *placed<Kept>(at);
  kept = Kept{};
  at += kKeptBytes;
  Encoder e{};
  e.tables = t;
  e.capacity = elements(*t, bytes, pair_bytes).value() & ~size_t{7};
  e.tokens = placed<Token>(at);
  e.main.spans = placed<ert_span>(at += sizeof(Token) * e.capacity);
  e.spare = at += sizeof(ert_span) * e.capacity;
  e.marks = at += 2 * e.capacity;
  e.main.text = at + e.capacity;
  if (const ert_status s = encode_text(e, static_cast<const uint8_t*>(text), bytes); s != ERT_OK) return s;
  kept.count[0] = static_cast<uint32_t>(e.token_count);
  if (pair != nullptr)
    if (const ert_status s = encode_text(e, static_cast<const uint8_t*>(pair), pair_bytes); s != ERT_OK) return s;
  kept.count[1] = static_cast<uint32_t>(e.token_count) - kept.count[0];
  kept.tokens = e.tokens;
  kept.text[0] = static_cast<const uint8_t*>(text), kept.bytes[0] = bytes;
  kept.text[1] = static_cast<const uint8_t*>(pair), kept.bytes[1] = pair_bytes;
  kept.has_pair = pair != nullptr;
  if (const ert_status s = plan_windows(*t, o, &kept); s != ERT_OK) return s;
  kept.magic = kKeptMagic;
  return write_window(*t, kept, 0, out);
}

ert_status ert_text_window(const ert_text* t, const void* work, uint32_t i, ert_encoding* out) {
  using namespace ert::text;
  const Tables* tables = tables_of(t);
  const Kept* kept = static_cast<const Kept*>(work);
  if (tables == nullptr || kept == nullptr || out == nullptr || kept->magic != kKeptMagic || i >= kept->windows)
    return ERT_ERR_ARG;
  return write_window(*tables, *kept, i, out);
}
