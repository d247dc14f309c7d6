// UTF-8, one character at a time. Reading never passes the end that it is given, whatever the bytes are.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/base/small_code.h"

namespace ert::text {

struct Character {
  uint32_t code;
  uint32_t bytes;  // that it takes, at least 1
};

constexpr uint32_t kReplacement = 0xfffd;

// A character of foreign text: what is no UTF-8 is U+FFFD, and takes the bytes of the longest part of a sequence that could have
// been valid, as in Python's bytes.decode('utf-8', 'replace').
Character foreign_character(const uint8_t* p, const uint8_t* end);

// Where the character of foreign text begins that ends at `at`, which is not 0.
size_t character_before(const uint8_t* text, size_t at);

// The same as sentencepiece has it: every byte that begins no valid sequence is one U+FFFD.
Character foreign_character_spm(const uint8_t* p, const uint8_t* end);

// A character of text that the library made itself. Bytes that are no UTF-8 give some code, and nothing worse.
inline Character character_at(const uint8_t* p, const uint8_t* end) {
#if ERT_SMALL_CODE
  return foreign_character(p, end);  // the same where text is valid, and there already
#endif
  const uint32_t a = p[0];
  if (a < 0x80) return {a, 1};
  const size_t left = static_cast<size_t>(end - p);
  if (a < 0xe0) return left < 2 ? Character{kReplacement, 1} : Character{(a & 0x1f) << 6 | (p[1] & 0x3fu), 2};
  if (a < 0xf0)
    return left < 3 ? Character{kReplacement, 1} : Character{(a & 0xf) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu), 3};
  if (left < 4) return {kReplacement, 1};
  return {(a & 7) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu), 4};
}

// Where the character before `at` begins, in text that the library made itself.
inline size_t before(const uint8_t* text, size_t begin, size_t at) {
  size_t i = at - 1;
  while (i > begin && at - i < 4 && (text[i] & 0xc0) == 0x80) --i;
  return i;
}

// Writes a code of at most 0x10ffff; gives the number of bytes, at most 4.
inline uint32_t put_character(uint32_t c, uint8_t* out) {
  if (c < 0x80) {
    out[0] = static_cast<uint8_t>(c);
    return 1;
  }
  const uint32_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (uint32_t i = bytes - 1; i != 0; --i, c >>= 6) out[i] = static_cast<uint8_t>(0x80 | (c & 0x3f));
  out[0] = static_cast<uint8_t>(0xf00 >> bytes | c);
  return bytes;
}

}  // namespace ert::text
