// Precompiled: a SentencePiece charsmap as Hugging Face applies it. A grapheme of less than six bytes is looked up whole, and becomes what its SHORTEST
// key says; of longer ones, and of those without a key, each character by itself.
#include "rt/text/double_array.h"
#include "rt/text/graphemes.h"
#include "rt/text/normalize.h"

namespace ert::text {

namespace {

// The text that the shortest key at p becomes.
bool mapped(const Tables& t, const uint8_t* p, size_t bytes, Bytes8* out) {
  DoubleArrayWalk walk(t.charsmap_trie);
  for (size_t i = 0; i < bytes; ++i) {
    uint32_t at;
    if (!walk.step(p[i])) return false;
    if (!walk.value(&at)) continue;
    if (at >= t.charsmap_strings.size) return false;
    const uint8_t* s = t.charsmap_strings.data + at;
    *out = {s, 0};
    // The strings end in a zero byte. The bound is for the compiler, which would call strlen.
    while (out->size < t.charsmap_strings.size - at && s[out->size] != 0) ++out->size;
    return true;
  }
  return false;
}

uint32_t characters(const uint8_t* p, size_t bytes) {
  uint32_t n = 0;
  for (size_t i = 0; i < bytes; ++i) n += (p[i] & 0xc0) != 0x80;
  return n;
}

bool put(Transform& out, const uint8_t* p, size_t old_bytes, Bytes8 text) {
  const int32_t had = static_cast<int32_t>(characters(p, old_bytes)),
                has = static_cast<int32_t>(characters(text.data, text.size));
  int32_t k = 0;
  for (uint32_t i = 0; i < text.size; ++k) {
    const Character c = character_at(text.data + i, text.data + text.size);
    if (!out.put(c.code, k >= had ? 1 : 0)) return false;
    i += c.bytes;
  }
  if (has < had) out.change_last(has - had);
  return true;
}

bool put_grapheme(const Tables& t, Transform& out, const uint8_t* p, size_t bytes) {
  Bytes8 text;
  if (bytes < 6 && mapped(t, p, bytes, &text)) return put(out, p, bytes, text);
  for (size_t i = 0; i < bytes;) {
    const Character c = character_at(p + i, p + bytes);
    if (mapped(t, p + i, c.bytes, &text)) {
      if (!put(out, p + i, c.bytes, text)) return false;
    } else if (!out.put(c.code, 0)) {
      return false;
    }
    i += c.bytes;
  }
  return true;
}

}  // namespace

bool normalize_precompiled(Encoder& e) {
  const Tables& t = *e.tables;
  const Buffer& b = e.main;
  GraphemeBreaks breaks;
  Transform out(e, 0);
  size_t start = 0;
  for (size_t i = 0; i < b.size;) {
    const Character c = character_at(b.text + i, b.end());
    if (breaks.before(static_cast<GraphemeClass>(t.graphemes.byte(c.code))) && i != start) {
      if (!put_grapheme(t, out, b.text + start, i - start)) return false;
      start = i;
    }
    i += c.bytes;
  }
  if (b.size != 0 && !put_grapheme(t, out, b.text + start, b.size - start)) return false;
  if (!out.flush()) return false;
  take_next(e);
  return true;
}

}  // namespace ert::text
