#include "rt/text/utf8.h"

namespace ert::text {

namespace {

// The range that the second byte of a sequence with this first byte may have: without overlong forms, surrogates, codes above 0x10ffff.
bool second_fits(uint32_t first, uint32_t second) {
  const uint32_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint32_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

}  // namespace

Character foreign_character(const uint8_t* p, const uint8_t* end) {
  const uint32_t a = p[0];
  if (a < 0x80) return {a, 1};
  if (a < 0xc2 || a > 0xf4) return {kReplacement, 1};
  const size_t left = static_cast<size_t>(end - p);
  if (left < 2 || !second_fits(a, p[1])) return {kReplacement, 1};
  const uint32_t bytes = a < 0xe0 ? 2 : a < 0xf0 ? 3 : 4;
  uint32_t code = (a & 0x7fu >> bytes) << 6 | (p[1] & 0x3fu);
  for (uint32_t i = 2; i < bytes; ++i) {
    if (i == left || (p[i] & 0xc0) != 0x80) return {kReplacement, i};
    code = code << 6 | (p[i] & 0x3fu);
  }
  return {code, bytes};
}

size_t character_before(const uint8_t* text, size_t at) {
  const size_t i = before(text, 0, at);
  return i + foreign_character(text + i, text + at).bytes == at ? i : at - 1;
}

Character foreign_character_spm(const uint8_t* p, const uint8_t* end) {
  const Character c = foreign_character(p, end);
  // A whole U+FFFD of the text is itself.
  if (c.code == kReplacement && !(c.bytes == 3 && p[0] == 0xef)) return {kReplacement, 1};
  return c;
}

}  // namespace ert::text
