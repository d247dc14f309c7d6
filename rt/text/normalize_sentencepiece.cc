// The normalizer of SentencePiece models: the longest key of the charsmap, user defined symbols untouched, white space made U+2581 and trimmed. The spans
// that it leaves reach from where a byte comes from to where the next one does, as SentencePiece has them.
#include "rt/text/double_array.h"
#include "rt/text/normalize.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

struct Prefix {
  Bytes8 text;
  uint32_t consumed;
};

Prefix prefix_at(const Encoder& e, size_t at) {
  const Tables& t = *e.tables;
  const uint8_t* p = e.main.text + at;
  const size_t left = e.main.size - at;
  uint32_t longest = 0, value = 0, v = 0;
  // A byte that is no UTF-8 is U+FFFD to the pieces, but not to the charsmap, which has a rule for that character.
  if (p[0] == 0xef && left >= 3 && p[1] == 0xbf && p[2] == 0xbd && e.main.spans[at].end - e.main.spans[at].start == 1)
    return {{p, 3}, 3};
  DoubleArrayWalk symbols(t.added_trie);
  for (size_t i = 0; i < left && symbols.step(p[i]); ++i)
    if (symbols.value(&v)) longest = static_cast<uint32_t>(i + 1);
  if (longest != 0) return {{p, longest}, longest};
  DoubleArrayWalk walk(t.charsmap_trie);
  for (size_t i = 0; i < left && walk.step(p[i]); ++i)
    if (walk.value(&v) && v < t.charsmap_strings.size) longest = static_cast<uint32_t>(i + 1), value = v;
  if (longest == 0) {
    const Character c = character_at(p, e.main.end());
    return {{p, c.bytes}, c.bytes};
  }
  const uint8_t* s = t.charsmap_strings.data + value;
  uint32_t bytes = 0;
  while (bytes < t.charsmap_strings.size - value && s[bytes] != 0) ++bytes;  // bounded, or the compiler calls strlen
  return {{s, bytes}, longest};
}

struct Out {
  Encoder* e;
  uint32_t consumed;  // in the original text: where what is written comes from
  Bytes8 space_is;    // U+2581, or a space

  bool put(const uint8_t* p, uint32_t n) { return append(e->next, e->room(), p, n, {consumed, consumed}); }
  bool space() { return put(space_is.data, space_is.size); }
};

// Every byte ends where the next one begins that has another origin.
void close_spans(Buffer& b, uint32_t end) {
  uint32_t next = end;
  for (size_t i = b.size; i-- != 0;) {
    if (i + 1 < b.size && b.spans[i].start != b.spans[i + 1].start) next = b.spans[i + 1].start;
    b.spans[i].end = next;
  }
}

}  // namespace

bool normalize_sentencepiece(Encoder& e, const Step& s) {
  Buffer& b = e.main;
  const bool trim = (s.option & kRemoveExtraSpaces) != 0, suffix = (s.option & kSpaceAsSuffix) != 0,
             dummy = (s.option & kAddDummyPrefix) != 0;
  const uint32_t end_of_text = b.spans[b.size - 1].end;
  const bool escaped = (s.option & kEscapeSpaces) != 0, plain = has(*e.tables, kPlainSpaces);
  const Bytes8 mark =
      escaped && !plain ? Bytes8{placed<const uint8_t>("\xe2\x96\x81"), kWordMarkBytes} : Bytes8{placed<const uint8_t>(" "), 1};
  Out out{&e, b.spans[0].start, mark};
  const auto origin = [&b, end_of_text](size_t i) { return i < b.size ? b.spans[i].start : end_of_text; };
  size_t i = 0;
  while (trim && i < b.size) {
    const Prefix p = prefix_at(e, i);
    if (p.text.size != 1 || p.text.data[0] != ' ') break;
    i += p.consumed;
  }
  if (i == b.size) {
    b.size = 0;
    return true;
  }
  out.consumed = origin(i);
  if (dummy && !suffix && !out.space()) return false;
  bool after_space = trim;
  while (i < b.size) {
    const Prefix p = prefix_at(e, i);
    uint32_t k = 0;
    while (after_space && k < p.text.size && p.text.data[k] == ' ') ++k;
    if (k < p.text.size) {
      for (; k < p.text.size; ++k) {
        const bool has_mark = plain && starts_with_word_mark(p.text.data + k, p.text.size - k);
        if (!(has_mark || p.text.data[k] == ' ' ? out.space() : out.put(p.text.data + k, 1))) return false;
        if (has_mark) k += kWordMarkBytes - 1;
      }
      after_space = p.text.data[p.text.size - 1] == ' ';
    }
    i += p.consumed;
    out.consumed = origin(i);
    if (!trim) after_space = false;
  }
  Buffer& n = e.next;
  while (trim && n.size >= mark.size && memcmp(n.text + n.size - mark.size, mark.data, mark.size) == 0) {
    n.size -= mark.size;
    out.consumed = n.spans[n.size].start;
  }
  if (dummy && suffix && !out.space()) return false;
  close_spans(n, out.consumed);
  take_next(e);
  return true;
}

}  // namespace ert::text
