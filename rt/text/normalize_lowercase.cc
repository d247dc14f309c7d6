// Lowercase: every character by itself, so that a final sigma is like others.
#include "rt/text/normalize.h"

namespace ert::text {

// As long as characters keep their length, nothing moves; from the first on that does not, all are written to next.
bool normalize_lowercase(Encoder& e) {
  Buffer& b = e.main;
  bool moved = false;
  for (size_t i = 0; i < b.size;) {
    const uint8_t byte = b.text[i];
    uint32_t bytes = 1;
    Bytes8 lower;
    if (byte < 0x80) {
      if (byte >= 'A' && byte <= 'Z') b.text[i] = static_cast<uint8_t>(byte + 32);
    } else {
      const Character c = character_at(b.text + i, b.end());
      bytes = c.bytes;
      lower = mapping(*e.tables, e.tables->lowercase.word(c.code));
    }
    if (lower.size == 0) lower = {b.text + i, bytes};
    if (!moved && lower.size != bytes) {
      if (!copy_with_prefix(e, 0, i, {})) return false;
      moved = true;
    }
    if (!moved)
      for (uint32_t k = 0; k < bytes; ++k) b.text[i + k] = lower.data[k];
    else if (!append(e.next, e.room(), lower.data, lower.size, b.spans[i])) return false;
    i += bytes;
  }
  if (moved) take_next(e);
  return true;
}

}  // namespace ert::text
