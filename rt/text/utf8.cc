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
  if (a < 0xe0) return {(a & 0x1f) << 6 | (p[1] & 0x3fu), 2};
  if (left < 3 || (p[2] & 0xc0) != 0x80) return {kReplacement, 2};
  if (a < 0xf0) return {(a & 0xf) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu), 3};
  if (left < 4 || (p[3] & 0xc0) != 0x80) return {kReplacement, 3};
  return {(a & 7) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu), 4};
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
