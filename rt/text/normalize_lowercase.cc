// Lowercase: every character by itself, so that a final sigma is like others.
#include "rt/text/normalize.h"

namespace ert::text {

namespace {

// As long as characters keep their length, nothing moves. Gives where that ends.
size_t lower_in_place(Encoder& e) {
  Buffer& b = e.main;
  size_t i = 0;
  while (i < b.size) {
    const uint8_t byte = b.text[i];
    if (byte < 0x80) {
      if (byte >= 'A' && byte <= 'Z') b.text[i] = static_cast<uint8_t>(byte + 32);
      ++i;
      continue;
    }
    const Character c = character_at(b.text + i, b.end());
    const Bytes8 lower = mapping(*e.tables, e.tables->lowercase.word(c.code));
    if (lower.size != 0) {
      if (lower.size != c.bytes) return i;
      memcpy(b.text + i, lower.data, lower.size);
    }
    i += c.bytes;
  }
  return i;
}

}  // namespace

bool normalize_lowercase(Encoder& e) {
  size_t i = lower_in_place(e);
  if (i == e.main.size) return true;
  memcpy(e.next.text, e.main.text, i);
  memcpy(e.next.spans, e.main.spans, sizeof(ert_span) * i);
  e.next.size = i;
  while (i < e.main.size) {
    const Character c = character_at(e.main.text + i, e.main.end());
    Bytes8 lower = c.code < 0x80 ? Bytes8{} : mapping(*e.tables, e.tables->lowercase.word(c.code));
    uint8_t ascii = e.main.text[i];
    if (c.code >= 'A' && c.code <= 'Z') {
      ascii = static_cast<uint8_t>(ascii + 32);
      lower = {&ascii, 1};
    }
    if (lower.size == 0) lower = {e.main.text + i, c.bytes};
    if (!append(e.next, e.room(), lower.data, lower.size, e.main.spans[i])) return false;
    i += c.bytes;
  }
  take_next(e);
  return true;
}

}  // namespace ert::text
