#include "rt/text/split_rules.h"

namespace ert::text {

namespace {

constexpr uint32_t kMain = kClassLetter | kClassNumber | kClassSpace;

// End of the run from i of characters whose classes, of those in `mask`, are `wanted`.
size_t run_end(const RuleText& t, size_t i, uint32_t mask, uint32_t wanted) {
  while (i < t.end) {
    const Character c = t.at(i);
    if ((t.classes->byte(c.code) & mask) != wanted) break;
    i += c.bytes;
  }
  return i;
}

uint8_t lower(uint8_t c, bool fold) { return fold && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c + 32) : c; }

// 's|'t|'re|'ve|'m|'ll|'d, of either case if `fold`: an s may then be U+017F too. Gives its end, or i.
size_t contraction(const RuleText& t, size_t i, bool fold) {
  if (t.text[i] != '\'' || i + 1 >= t.end) return i;
  // Two bytes each, of which the second may be none.
  for (const char* ending = "s t d m rellve\xc5\xbf"; *ending != 0; ending += 2) {
    const uint32_t n = ending[1] == ' ' ? 1 : 2;
    uint32_t k = 0;
    while (k < n && i + 1 + k < t.end && lower(t.text[i + 1 + k], fold) == static_cast<uint8_t>(ending[k])) ++k;
    if (k == n && (fold || static_cast<uint8_t>(ending[0]) < 0x80)) return i + 1 + n;
  }
  return i;
}

// \s+(?!\S)|\s+ at white space: all of it at the end of the text, else all but the last.
size_t spaces_end(const RuleText& t, size_t i) {
  size_t last = i, end = i;
  while (end < t.end) {
    const Character c = t.at(end);
    if ((t.classes->byte(c.code) & kClassSpace) == 0) break;
    last = end;
    end += c.bytes;
  }
  return end == t.end || last == i ? end : last;
}

bool newline(uint8_t c) { return c == '\r' || c == '\n'; }

// \s*[\r\n]+ at white space: up to the last line end of the run, or i.
size_t lines_end(const RuleText& t, size_t i) {
  size_t found = i;
  for (size_t end = i; end < t.end;) {
    const Character c = t.at(end);
    if ((t.classes->byte(c.code) & kClassSpace) == 0) break;
    end += c.bytes;
    if (c.bytes == 1 && newline(static_cast<uint8_t>(c.code))) found = end;
  }
  return found;
}

size_t digits_end(const RuleText& t, size_t i, uint32_t most) {
  for (uint32_t n = 0; n < most && i < t.end; ++n) {
    const Character c = t.at(i);
    if ((t.classes->byte(c.code) & kClassNumber) == 0) break;
    i += c.bytes;
  }
  return i;
}

// " ?[^\s\p{L}\p{N}]+", then line ends (and slashes). Gives its end, or i.
size_t symbols_end(const RuleText& t, size_t i, bool slashes) {
  const size_t from = i + (t.text[i] == ' ');
  size_t end = run_end(t, from, kMain, 0);
  if (end == from) return i;
  while (end < t.end && (newline(t.text[end]) || (slashes && t.text[end] == '/'))) ++end;
  return end;
}

// What cl100k and o200k have in common behind their words.
size_t no_word_end(const RuleText& t, size_t i, bool slashes) {
  if (const size_t end = symbols_end(t, i, slashes); end != i) return end;
  if (const size_t end = lines_end(t, i); end != i) return end;
  return spaces_end(t, i);
}

// [^\r\n\p{L}\p{N}]: the character that may stand before a word.
bool before_word(uint32_t code, uint32_t k) { return (k & (kClassLetter | kClassNumber)) == 0 && code != '\r' && code != '\n'; }

bool opens(uint32_t k) {
  return (k & kClassMark) != 0 || ((k & kClassLetter) != 0 && (k & kClassWord) == 0);
}  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
bool follows(uint32_t k) {
  return (k & kClassMark) != 0 || ((k & kClassLetter) != 0 && (k & kClassUpper) == 0);
}  // [\p{Ll}\p{Lm}\p{Lo}\p{M}]

template <class Fits>
size_t while_fits(const RuleText& t, size_t i, Fits fits) {
  while (i < t.end) {
    const Character c = t.at(i);
    if (!fits(t.classes->byte(c.code))) break;
    i += c.bytes;
  }
  return i;
}

// [opens]*[follows]+ from i: its end, or i. Where nothing follows what opens, the last that is both ends it.
size_t lower_word_end(const RuleText& t, size_t i) {
  size_t both = i;
  size_t at = i;
  while (at < t.end) {
    const Character c = t.at(at);
    const uint32_t k = t.classes->byte(c.code);
    if (!opens(k)) break;
    at += c.bytes;
    if (follows(k)) both = at;
  }
  const size_t end = while_fits(t, at, follows);
  return end != at ? end : both;
}

// [opens]+[follows]*
size_t upper_word_end(const RuleText& t, size_t i) {
  const size_t at = while_fits(t, i, opens);
  return at == i ? i : while_fits(t, at, follows);
}

}  // namespace

size_t match_gpt2(const RuleText& t, size_t i) {
  if (const size_t end = contraction(t, i, false); end != i) return end - i;
  const size_t from = i + (t.text[i] == ' ');
  if (from < t.end) {
    const uint32_t k = t.classes_at(from) & kMain;
    if ((k & kClassSpace) == 0) return run_end(t, from, kMain, k) - i;
  }
  return spaces_end(t, i) - i;
}

size_t match_clip(const RuleText& t, size_t i) {
  if (const size_t end = contraction(t, i, false); end != i) return end - i;
  const Character c = t.at(i);
  const uint32_t k = t.classes->byte(c.code) & kMain;
  if (k == kClassNumber) return c.bytes;
  return (k & kClassSpace) != 0 ? 0 : run_end(t, i, kMain, k) - i;
}

size_t match_cl100k(const RuleText& t, size_t i, uint32_t most_digits) {
  if (const size_t end = contraction(t, i, true); end != i) return end - i;
  const Character c = t.at(i);
  const uint32_t k = t.classes->byte(c.code);
  const size_t from = before_word(c.code, k) ? i + c.bytes : i;
  if (const size_t end = run_end(t, from, kClassLetter, kClassLetter); end != from) return end - i;
  if ((k & kClassNumber) != 0) return digits_end(t, i, most_digits) - i;
  return no_word_end(t, i, false) - i;
}

size_t match_o200k(const RuleText& t, size_t i, uint32_t most_digits, bool contractions) {
  const Character c = t.at(i);
  const uint32_t k = t.classes->byte(c.code);
  const size_t behind = before_word(c.code, k) ? i + c.bytes : i;
  // The character before a word is given back where no word follows it.
  size_t from = behind, end = lower_word_end(t, from);
  if (end == from && behind != i) from = i, end = lower_word_end(t, from);
  if (end == from) from = behind, end = upper_word_end(t, from);
  if (end == from && behind != i) from = i, end = upper_word_end(t, from);
  if (end != from) return (contractions && end < t.end ? contraction(t, end, true) : end) - i;
  if ((k & kClassNumber) != 0) return digits_end(t, i, most_digits) - i;
  return no_word_end(t, i, true) - i;
}

}  // namespace ert::text
