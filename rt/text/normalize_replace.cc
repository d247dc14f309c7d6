// Replace and Prepend. What comes in place of a match has the span of the match's last character, as the reference has it.
#include "rt/text/normalize.h"

namespace ert::text {

namespace {

// Bytes of the match at byte i, 0 for none.
size_t match_at(const Encoder& e, const Step& s, const uint8_t* pattern, size_t i) {
  const Buffer& b = e.main;
  switch (static_cast<PatternKind>(s.option)) {
    case PatternKind::kString:
      return s.a.bytes != 0 && b.text[i] == pattern[0] && s.a.bytes <= b.size - i && memcmp(b.text + i, pattern, s.a.bytes) == 0
                 ? s.a.bytes
                 : 0;
    case PatternKind::kSpaceRun:
    case PatternKind::kWhitespaceRun: {
      const bool spaces = s.option == static_cast<uint32_t>(PatternKind::kSpaceRun);
      size_t end = i;
      while (end < b.size) {
        const Character c = character_at(b.text + end, b.end());
        if (spaces ? c.code != ' ' : (e.tables->classes.byte(c.code) & kClassSpace) == 0) break;
        end += c.bytes;
      }
      return spaces && end - i < 2 ? 0 : end - i;
    }
    case PatternKind::kCount: break;
  }
  return 0;
}

}  // namespace

bool normalize_replace(Encoder& e, const Step& s) {
  const uint8_t* pattern = string_of(*e.tables, s.a);
  const uint8_t* content = string_of(*e.tables, s.b);
  const Buffer& b = e.main;
  size_t copied = 0;
  for (size_t i = 0; i < b.size;) {
    const size_t matched = match_at(e, s, pattern, i);
    if (matched == 0) {
      i += character_at(b.text + i, b.end()).bytes;
      continue;
    }
    if (!copy_with_prefix(e, copied, i, {}) || !append(e.next, e.room(), content, s.b.bytes, b.spans[i + matched - 1])) return false;
    i += matched;
    copied = i;
  }
  if (copied == 0) return true;  // nothing matched: matches have bytes
  if (!copy_with_prefix(e, copied, b.size, {})) return false;
  take_next(e);
  return true;
}

bool copy_with_prefix(Encoder& e, size_t from, size_t to, Bytes8 prefix) {
  if (from == to) return true;
  if (!append(e.next, e.room(), prefix.data, prefix.size, e.main.spans[from])) return false;
  const size_t n = to - from;
  if (n > e.room() - e.next.size) return false;
  memcpy(e.next.text + e.next.size, e.main.text + from, n);
  memcpy(e.next.spans + e.next.size, e.main.spans + from, sizeof(ert_span) * n);
  e.next.size += n;
  return true;
}

bool normalize_prepend(Encoder& e, const Step& s) {
  if (!copy_with_prefix(e, 0, e.main.size, {string_of(*e.tables, s.a), s.a.bytes})) return false;
  take_next(e);
  return true;
}

}  // namespace ert::text
