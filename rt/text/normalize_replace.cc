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
    case PatternKind::kSpaceRun: {
      size_t end = i;
      while (end < b.size && b.text[end] == ' ') ++end;
      return end - i >= 2 ? end - i : 0;
    }
    case PatternKind::kWhitespaceRun: {
      size_t end = i;
      while (end < b.size) {
        const Character c = character_at(b.text + end, b.end());
        if ((e.tables->classes.byte(c.code) & kClassSpace) == 0) break;
        end += c.bytes;
      }
      return end - i;
    }
    case PatternKind::kCount: break;
  }
  return 0;
}

}  // namespace

bool normalize_replace(Encoder& e, const Step& s) {
  const uint8_t* pattern = string_of(*e.tables, s.a);
  const uint8_t* content = string_of(*e.tables, s.b);
  Buffer& b = e.main;
  size_t i = 0, matched = 0;
  for (; i < b.size; i += character_at(b.text + i, b.end()).bytes)
    if ((matched = match_at(e, s, pattern, i)) != 0) break;
  if (matched == 0) return true;
  size_t copied = 0;
  while (i < b.size) {
    matched = match_at(e, s, pattern, i);
    if (matched == 0) {
      i += character_at(b.text + i, b.end()).bytes;
      continue;
    }
    if (i - copied > e.room() - e.next.size) return false;
    memcpy(e.next.text + e.next.size, b.text + copied, i - copied);
    memcpy(e.next.spans + e.next.size, b.spans + copied, sizeof(ert_span) * (i - copied));
    e.next.size += i - copied;
    if (!append(e.next, e.room(), content, s.b.bytes, b.spans[i + matched - 1])) return false;
    i += matched;
    copied = i;
  }
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
