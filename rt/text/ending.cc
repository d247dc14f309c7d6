// What becomes of tokens behind the model: truncation, windows, special tokens, padding, offsets without white space.
#include "rt/base/abi.h"
#include "rt/text/encode.h"

namespace ert::text {

namespace {

struct Template {
  const TemplatePiece* pieces;
  uint32_t count;
};

Template template_of(const Tables& t, bool pair) {
  const uint32_t single = t.ending->single_pieces;
  if (!pair) return {t.pieces_of_template.data, single};
  return {t.pieces_of_template.data + single, t.pieces_of_template.size - single};
}

uint32_t special_tokens(const Tables& t, bool pair) {
  const Template p = template_of(t, pair);
  uint32_t n = 0;
  for (uint32_t i = 0; i < p.count; ++i) n += p.pieces[i].kind == 0;
  return n;
}

// As the reference shares a length out: the longer of the two is cut, then both to halves, of which the longer text has the odd one.
void share(uint32_t most, uint32_t* room) {
  uint32_t least = room[0] < room[1] ? room[0] : room[1], other;
  const bool swapped = room[0] > room[1];
  if (least > most)
    other = least;
  else
    other = most - least > least ? most - least : least;
  if (uint64_t{least} + other > most) {
    least = most / 2;
    other = least + most % 2;
  }
  room[0] = swapped ? other : least;
  room[1] = swapped ? least : other;
}

uint32_t cut_text(const Kept& k) { return k.room[1] < k.count[1] ? 1 : 0; }

// Tokens [*begin, *end) of text `which` in a window.
void part_of(const Tables& t, const Kept& k, uint32_t which, uint32_t window, uint32_t* begin, uint32_t* end) {
  const uint32_t count = k.count[which], room = k.room[which];
  *begin = 0, *end = room < count ? room : count;
  if (room >= count || room == 0) return;
  const uint32_t shift = k.windows > 1 && which == cut_text(k) ? window * (room - k.stride) : 0;
  if (t.ending->cut_left != 0) {
    *end = count - shift;
    *begin = *end > room ? *end - room : 0;
  } else {
    *begin = shift;
    *end = shift + room < count ? shift + room : count;
  }
}

// White space at the beginning and end of what a token stands for, in characters.
struct Blank {
  uint32_t leading, trailing;
};

// The reference also counts U+0120, which byte-level vocabularies have for a space. A hostile piece may be long and stand for one byte: no more is counted
// than pieces of real tokenizers can have. `bytes`: these are bytes, no characters.
__attribute__((noinline)) Blank blank_of(const Tables& t, ert_span span, const uint8_t* p, const uint8_t* end, bool bytes, bool spaces) {
  const auto blank = [&t, bytes, spaces](const Character& c) {
    return c.code == ' ' ? spaces : !bytes && (c.code == 0x120 || (t.classes.byte(c.code) & kClassSpace) != 0);
  };
  const uint32_t most = span.end - span.start + kLongestString;
  Blank b{0, 0};
  for (const uint8_t* at = p; at < end && b.leading < most; ++b.leading) {
    const Character c = bytes ? Character{*at, 1} : foreign_character(at, end);
    if (!blank(c)) break;
    at += c.bytes;
  }
  for (; p < end && b.trailing < most; ++b.trailing) {
    const uint8_t* at = bytes ? end - 1 : p + character_before(p, static_cast<size_t>(end - p));
    if (!blank(bytes ? Character{*at, 1} : foreign_character(at, end))) break;
    end = at;
  }
  return b;
}

// The span without that white space, as process_offsets of the reference has it.
__attribute__((noinline)) ert_span trimmed(ert_span s, Blank b, const uint8_t* text, size_t bytes) {
  for (; b.leading != 0 && s.start < s.end; --b.leading) s.start += foreign_character(text + s.start, text + bytes).bytes;
  if (s.start > s.end) s.start = s.end;
  uint32_t end = s.end;
  for (; b.trailing != 0 && end != 0; --b.trailing) end = static_cast<uint32_t>(character_before(text, end));
  if (b.trailing == 0) s.end = end > s.start ? end : s.start;
  return s;
}

// `first`: the first token of its window, whose one blank stays where the tokenizer itself puts a space before texts.
ert_span span_of(const Tables& t, const Token& token, const uint8_t* text, size_t bytes, bool first) {
  ert_span s{token.start & ~(kTrimmed | kOneBlank), token.end & ~kWordStart};
  const uint32_t id = static_cast<uint32_t>(token.id);
  if ((token.start & kTrimmed) == 0 && t.ending->trim != 0 && id < t.header->vocabulary) {
    const uint8_t* piece = piece_data(t, id);
    Blank b = blank_of(t, s, piece, piece + piece_length(t, id), has(t, kByteLevel), true);
    if ((first || s.start == 0) && t.ending->trim == 2 && b.leading == 1) b.leading = 0;
    s = trimmed(s, b, text, bytes);
  }
  if ((token.start & kOneBlank) != 0 && !first) s.start += foreign_character(text + s.start, text + bytes).bytes;
  if (s.end < s.start) s.end = s.start;
  return s;
}

struct Writer {
  const ert_encoding* out;
  uint32_t at = 0;
  void put(int32_t id, uint32_t type, bool attended, bool special, ert_span span, uint8_t sequence, bool word_start = true) {
    if (out->ids != nullptr) out->ids[at] = id;
    if (out->type_ids != nullptr) out->type_ids[at] = static_cast<int32_t>(type);
    if (out->attention != nullptr) out->attention[at] = attended;
    if (out->special != nullptr) out->special[at] = special;
    if (out->offsets != nullptr) out->offsets[at] = span;
    if (out->sequence != nullptr) out->sequence[at] = sequence;
    if (out->word_starts != nullptr) out->word_starts[at] = word_start;
    ++at;
  }
};

uint32_t padded(const Tables& t, const Kept& k, uint32_t tokens) {
  const Ending& e = *t.ending;
  uint32_t to = k.pad_to;
  if (to == 0 && (k.flags & ERT_TEXT_NO_PADDING) == 0) {
    to = e.pad_to > tokens ? e.pad_to : tokens;
    if (e.pad_multiple != 0 && to % e.pad_multiple != 0) to += e.pad_multiple - to % e.pad_multiple;
  }
  return to > tokens ? to : tokens;
}

}  // namespace

void trim_by(Encoder& e, const uint8_t* text, const uint8_t* end, bool spaces) {
  const uint32_t trim = e.tables->ending->trim;
  if (trim == 0) return;
  Token& token = e.tokens[e.token_count - 1];
  ert_span s{token.start, token.end};
  Blank b = blank_of(*e.tables, s, text, end, false, spaces);
  const bool one = trim == 2 && b.leading == 1;
  if (one) b.leading = 0;
  const uint32_t flags = one && s.start != 0 && s.start < s.end ? kTrimmed | kOneBlank : kTrimmed;
  s = trimmed(s, b, e.original, e.original_bytes);
  token.start = s.start | flags, token.end = s.end;
}

ert_status plan_windows(const Tables& t, const ert_text_options& o, Kept* k) {
  const bool special = (o.flags & ERT_TEXT_NO_SPECIAL_TOKENS) == 0;
  const Ending& e = *t.ending;
  k->flags = o.flags, k->pad_to = o.pad_to, k->windows = 1;
  k->stride = o.stride != 0 ? o.stride : e.stride;
  k->room[0] = k->count[0], k->room[1] = k->count[1];
  const uint32_t most = o.max_tokens != 0 ? o.max_tokens : (o.flags & ERT_TEXT_NO_TRUNCATION) != 0 ? 0 : e.max_tokens;
  if (most == 0) return ERT_OK;
  const uint32_t added = special ? special_tokens(t, k->has_pair != 0) : 0;
  if (most < added) return ERT_ERR_LIMIT;
  const uint32_t room = most - added, total = k->count[0] + k->count[1];
  if (total <= room) return ERT_OK;
  if (room == 0) {
    k->room[0] = k->room[1] = 0;
    return ERT_OK;
  }
  const uint32_t strategy = o.truncation != ERT_TRUNCATE_AS_BLOB ? o.truncation : e.truncation;
  if (strategy == ERT_TRUNCATE_FIRST || strategy == ERT_TRUNCATE_SECOND) {
    const uint32_t which = strategy == ERT_TRUNCATE_SECOND;
    if (which > k->has_pair || k->count[which] <= total - room) return ERT_ERR_DIMS;
    k->room[which] = k->count[which] - (total - room);
  } else if (k->has_pair != 0) {
    share(room, k->room);
  } else {
    k->room[0] = room;
  }
  const bool cut0 = k->room[0] < k->count[0], cut1 = k->room[1] < k->count[1];
  for (uint32_t i = 0; i < 2; ++i)
    if (k->room[i] < k->count[i] && k->room[i] != 0 && k->stride >= k->room[i]) return ERT_ERR_DIMS;
  if (cut0 == cut1) return ERT_OK;
  const uint32_t which = cut1;
  if (k->room[which] == 0) return ERT_OK;
  const uint32_t step = k->room[which] - k->stride;
  k->windows = 1 + (k->count[which] - k->room[which] + step - 1) / step;
  return ERT_OK;
}

ert_status write_window(const Tables& t, const Kept& k, uint32_t window, ert_encoding* caller) {
  ert_encoding out;
  if (!ert::read_struct(caller, &out)) return ERT_ERR_ARG;
  const bool special = (k.flags & ERT_TEXT_NO_SPECIAL_TOKENS) == 0;
  const Template p = template_of(t, k.has_pair != 0);
  uint32_t begin[2], end[2];
  uint64_t counted = 0;  // a hostile template may have the text 256 times
  for (uint32_t which = 0; which < 2; ++which) part_of(t, k, which, window, &begin[which], &end[which]);
  for (uint32_t i = 0; i < p.count; ++i) {
    const uint32_t kind = p.pieces[i].kind;
    counted += kind == 0 ? special : end[kind - 1] - begin[kind - 1];
  }
  if (counted > INT32_MAX) return ERT_ERR_LIMIT;
  const uint32_t tokens = static_cast<uint32_t>(counted);
  out.tokens = padded(t, k, tokens);
  out.truncated = k.room[0] < k.count[0] || k.room[1] < k.count[1];
  out.windows = k.windows;
  out.text_tokens = k.count[0], out.pair_tokens = k.count[1];
  ert::write_struct(out, caller);
  if (out.tokens > out.capacity) return ERT_ERR_NOMEM;

  Writer w{&out};
  const Ending& e = *t.ending;
  const uint32_t padding = out.tokens - tokens;
  const auto pad = [&](bool left) __attribute__((noinline)) {
    for (uint32_t i = 0; left == (e.pad_left != 0) && i < padding; ++i) w.put(e.pad_id, e.pad_type_id, false, true, {0, 0}, 255);
  };
  pad(true);
  for (uint32_t i = 0; i < p.count; ++i) {
    const TemplatePiece& piece = p.pieces[i];
    if (piece.kind == 0) {
      if (special) w.put(piece.id, piece.type_id, true, true, {0, 0}, 255);
      continue;
    }
    const uint32_t which = piece.kind - 1;
    const Token* from = k.tokens + (which == 0 ? 0 : k.count[0]);
    for (uint32_t j = begin[which]; j < end[which]; ++j) {
      ert_span span{0, 0};
      if (out.offsets != nullptr) span = span_of(t, from[j], k.text[which], k.bytes[which], j == begin[which]);
      w.put(from[j].id, piece.type_id, true, false, span, static_cast<uint8_t>(which), (from[j].end & kWordStart) != 0);
    }
  }
  pad(false);
  return ERT_OK;
}

}  // namespace ert::text

ert_status ert_text_describe(const ert_text* text, ert_text_info* out) {
  using namespace ert::text;
  const Tables* t = tables_of(text);
  if (t == nullptr || out == nullptr) return ERT_ERR_ARG;
  ert_text_info info{};
  info.kind = t->header->kind;
  info.vocabulary = t->ngrams.size != 0 ? t->ngrams.data->buckets : t->header->vocabulary;
  info.max_tokens = t->ending->max_tokens;
  info.special_tokens = special_tokens(*t, false);
  info.special_tokens_of_pair = special_tokens(*t, true);
  info.expansion = t->header->expansion;
  info.pad_id = t->ending->pad_id;
  return ert::write_struct(info, out) ? ERT_OK : ERT_ERR_ARG;
}
