// The parts of BertNormalizer that are its own: control characters and white space, ideographs. And what takes characters away.
#include "rt/text/normalize.h"

namespace ert::text {

namespace {

// Keeps those characters of main for which `keep` says so, which may write another character of no more bytes into its argument.
template <class Keep>
void filter(Encoder& e, size_t i, Keep keep) {
  Buffer& b = e.main;
  size_t out = i;
  while (i < b.size) {
    Character c = character_at(b.text + i, b.end());
    const uint32_t bytes = c.bytes;
    const ert_span span = b.spans[i];
    if (!keep(&c)) {
      i += bytes;
      continue;
    }
    if (c.bytes == bytes) {
      if (out != i) {
        for (uint32_t k = 0; k < bytes; ++k) b.text[out + k] = b.text[i + k], b.spans[out + k] = span;
      }
      out += bytes;
    } else {
      b.text[out] = static_cast<uint8_t>(c.code), b.spans[out] = span;
      ++out;
    }
    i += bytes;
  }
  b.size = out;
}

bool ideograph(uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
         (c >= 0x2a700 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0x2f800 && c <= 0x2fa1f);
}

// First byte from which on a step might find something, where that takes a byte of at least `least`.
size_t first_high(const Buffer& b, uint8_t least) {
  size_t i = 0;
  while (i < b.size && b.text[i] < least) ++i;
  return i;
}

}  // namespace

bool normalize_bert_clean(Encoder& e) {
  const CodeTable& classes = e.tables->classes;
  size_t i = 0;
  while (i < e.main.size && e.main.text[i] >= 0x20 && e.main.text[i] < 0x7f) ++i;
  filter(e, i, [&classes](Character* c) {
    if (c->code == ' ' || (c->code > ' ' && c->code < 0x7f)) return true;
    if (c->code == 0 || c->code == kReplacement) return false;
    const uint32_t k = classes.byte(c->code);
    if ((k & kClassControl) != 0 && c->code != '\t' && c->code != '\n' && c->code != '\r') return false;
    if ((k & kClassSpace) != 0) c->bytes = c->code == ' ' ? c->bytes : 0, c->code = ' ';
    return true;
  });
  return true;
}

bool normalize_strip_marks(Encoder& e, const Step& s) {
  const size_t first = first_high(e.main, 0xcc);  // U+0300
  const Tables& t = *e.tables;
  const bool apart = s.option == 1 && t.rule_classes.values != t.classes.values;
  const CodeTable& classes = apart ? t.rule_classes : t.classes;
  const uint32_t mark = apart ? kClassBertMark : kClassMark;
  filter(e, first, [&classes, mark](Character* c) { return c->code < 0x300 || (classes.byte(c->code) & mark) == 0; });
  return true;
}

bool normalize_bert_chinese(Encoder& e) {
  size_t i = first_high(e.main, 0xe3);  // U+3400
  if (i == e.main.size) return true;
  memcpy(e.next.text, e.main.text, i);
  memcpy(e.next.spans, e.main.spans, sizeof(ert_span) * i);
  e.next.size = i;
  const uint8_t space = ' ';
  while (i < e.main.size) {
    const Character c = character_at(e.main.text + i, e.main.end());
    const ert_span span = e.main.spans[i];
    const bool alone = ideograph(c.code);
    if (alone && !append(e.next, e.room(), &space, 1, span)) return false;
    if (!append(e.next, e.room(), e.main.text + i, c.bytes, span)) return false;
    if (alone && !append(e.next, e.room(), &space, 1, span)) return false;
    i += c.bytes;
  }
  take_next(e);
  return true;
}

bool normalize_nmt(Encoder& e) {
  filter(e, 0, [](Character* c) {
    const uint32_t k = c->code;
    if ((k >= 1 && k <= 8) || k == 0xb || (k >= 0xe && k <= 0x1f) || k == 0x7f || k == 0x8f || k == 0x9f) return false;
    if (k == 9 || k == 0xa || k == 0xc || k == 0xd || k == 0x1680 || (k >= 0x200b && k <= 0x200f) || k == 0x2028 || k == 0x2029 ||
        k == 0x2581 || k == 0xfeff || k == kReplacement)
      c->code = ' ', c->bytes = 0;
    return true;
  });
  return true;
}

bool normalize_strip(Encoder& e, const Step& s) {
  Buffer& b = e.main;
  const CodeTable& classes = e.tables->classes;
  size_t from = 0, to = b.size;
  while ((s.option & 1) != 0 && from < to) {
    const Character c = character_at(b.text + from, b.end());
    if ((classes.byte(c.code) & kClassSpace) == 0) break;
    from += c.bytes;
  }
  while ((s.option & 2) != 0 && to > from) {
    const size_t at = before(b.text, from, to);
    if ((classes.byte(character_at(b.text + at, b.end()).code) & kClassSpace) == 0) break;
    to = at;
  }
  memmove(b.text, b.text + from, to - from);
  memmove(b.spans, b.spans + from, sizeof(ert_span) * (to - from));
  b.size = to - from;
  return true;
}

}  // namespace ert::text
