// NFC, NFD, NFKC, NFKD: decomposed, brought into canonical order, composed again. Each character carries what became of its source (Transform in
// buffer.h), in the byte of Encoder::marks at its first byte: spans follow from that at the end.
#include "rt/text/normalize.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

constexpr uint32_t kSyllables = 0xac00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11a7;
constexpr uint32_t kVowelCount = 21, kTrailingCount = 28, kSyllableCount = 19 * kVowelCount * kTrailingCount;
constexpr uint32_t kComposesOnly = 254;  // in kCombining: class 0, but may be the second of a composition

struct Work {
  Encoder* e;
  uint8_t* text;  // next.text
  int8_t* change;
  size_t size;
  const CodeTable* decompositions;
};

bool put(Work& w, const uint8_t* bytes, uint32_t count, int32_t change) {
  if (count > w.e->room() - w.size) return false;
  memcpy(w.text + w.size, bytes, count);
  w.change[w.size] = static_cast<int8_t>(change);
  w.size += count;
  return true;
}

bool put_code(Work& w, uint32_t code, int32_t change) {
  uint8_t bytes[4];
  return put(w, bytes, put_character(code, bytes), change);
}

bool decompose(Work& w) {
  const Buffer& b = w.e->main;
  const Tables& t = *w.e->tables;
  for (size_t i = 0; i < b.size;) {
    const Character c = character_at(b.text + i, b.end());
    if (c.code < 0x80) {
      if (w.size == w.e->room()) return false;
      w.text[w.size] = static_cast<uint8_t>(c.code), w.change[w.size++] = 0;
      ++i;
      continue;
    }
    if (c.code - kSyllables < kSyllableCount) {
      const uint32_t s = c.code - kSyllables, trailing = s % kTrailingCount;
      if (!put_code(w, kLeading + s / (kVowelCount * kTrailingCount), 0)) return false;
      if (!put_code(w, kVowels + s % (kVowelCount * kTrailingCount) / kTrailingCount, 1)) return false;
      if (trailing != 0 && !put_code(w, kTrailing + trailing, 1)) return false;
    } else if (const Bytes8 m = mapping(t, w.decompositions->word(c.code)); m.size != 0) {
      for (uint32_t k = 0; k < m.size;) {
        const uint32_t bytes = character_at(m.data + k, m.data + m.size).bytes;
        if (!put(w, m.data + k, bytes, k == 0 ? 0 : 1)) return false;
        k += bytes;
      }
    } else if (!put(w, b.text + i, c.bytes, 0)) {
      return false;
    }
    i += c.bytes;
  }
  return true;
}

uint32_t combining_class(const Tables& t, uint32_t code) {
  const uint32_t k = code < 0x300 ? 0 : t.combining.byte(code);
  return k == kComposesOnly ? 0 : k;
}

// A stable sort of the characters of [a, b) by class: one pass for each class that occurs, of which there are few.
void sort_run(Work& w, size_t a, size_t b) {
  const Tables& t = *w.e->tables;
  uint8_t* text = placed<uint8_t>(w.e->next.spans);  // which has no contents yet
  int8_t* change = placed<int8_t>(text + (b - a));
  size_t out = 0;
  for (uint32_t k = 0, next; k < 256; k = next) {
    next = 256;
    for (size_t i = a; i < b;) {
      const Character c = character_at(w.text + i, w.text + b);
      const uint32_t its = combining_class(t, c.code);
      if (its == k) {
        memcpy(text + out, w.text + i, c.bytes);
        change[out] = w.change[i];
        out += c.bytes;
      } else if (its > k && its < next) {
        next = its;
      }
      i += c.bytes;
    }
  }
  memcpy(w.text + a, text, b - a);
  memcpy(w.change + a, change, b - a);
}

void order(Work& w) {
  const Tables& t = *w.e->tables;
  size_t run = 0;  // where neighbours of other classes than 0 begin
  uint32_t last = 0;
  bool sorted = true;
  for (size_t i = 0; i < w.size;) {
    const Character c = character_at(w.text + i, w.text + w.size);
    const uint32_t k = combining_class(t, c.code);
    if (k == 0) {
      if (!sorted) sort_run(w, run, i);
      sorted = true;
      run = i + c.bytes;
    } else if (k < last) {
      sorted = false;
    }
    last = k;
    i += c.bytes;
  }
  if (!sorted) sort_run(w, run, w.size);
}

// What two characters become together, 0 for nothing. `second_class` is as kCombining has it.
uint32_t composed(const Tables& t, uint32_t first, uint32_t second, uint32_t second_class) {
  if (first - kLeading < 19 && second - kVowels < kVowelCount)
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailingCount == 0 &&
      second - kTrailing - 1 < kTrailingCount - 1)
    return first + (second - kTrailing);
  if (second_class == 0) return 0;
  const uint64_t wanted = uint64_t{first} << 32 | second;
  uint32_t low = 0, high = t.compositions.size;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    const Composition& c = t.compositions.data[middle];
    const uint64_t pair = uint64_t{c.first} << 32 | c.second;
    if (pair == wanted) return c.result;
    if (pair < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

// In place: what is written never passes what is read, because a composed character is no longer than its parts.
bool compose(Work& w) {
  const Tables& t = *w.e->tables;
  size_t out = 0, starter = 0;
  Character start{0, 0};  // no bytes: there is none yet
  int32_t last = -1;      // class of the last character behind the starter, -1 for none
  for (size_t i = 0; i < w.size;) {
    const Character c = character_at(w.text + i, w.text + w.size);
    const int8_t change = w.change[i];
    const uint32_t raw = c.code < 0x300 ? 0 : t.combining.byte(c.code);
    const int32_t k = raw == kComposesOnly ? 0 : static_cast<int32_t>(raw);
    i += c.bytes;
    const uint32_t together = start.bytes != 0 && (last < 0 || last < k) ? composed(t, start.code, c.code, raw) : 0;
    if (together != 0) {
      uint8_t bytes[4];
      const uint32_t n = put_character(together, bytes);
      const size_t behind = starter + start.bytes, moved = out - behind;
      if (starter + n + moved > i) return false;
      memmove(w.text + starter + n, w.text + behind, moved);
      memmove(w.change + starter + n, w.change + behind, moved);
      memcpy(w.text + starter, bytes, n);
      w.change[starter] = static_cast<int8_t>(w.change[starter] + change - 1);
      start = {together, n};
      out = starter + n + moved;
      continue;
    }
    memmove(w.text + out, w.text + i - c.bytes, c.bytes);
    w.change[out] = change;
    if (k == 0) {
      starter = out, start = c, last = -1;
    } else if (start.bytes != 0) {
      last = k;
    }
    out += c.bytes;
  }
  w.size = out;
  return true;
}

// Spans of what came out, from what became of what went in.
void align(Work& w) {
  Encoder& e = *w.e;
  size_t source = 0;
  for (size_t i = 0; i < w.size;) {
    const uint32_t bytes = character_at(w.text + i, w.text + w.size).bytes;
    const int32_t change = w.change[i];
    ert_span span{0, 0};
    if (change > 0) {
      if (source != 0) span = e.main.spans[source - 1];
    } else {
      if (source < e.main.size) span = e.main.spans[source];
      for (int32_t k = change; k <= 0 && source < e.main.size; ++k)
        source += character_at(e.main.text + source, e.main.end()).bytes;
    }
    for (uint32_t k = 0; k < bytes; ++k) e.next.spans[i + k] = span;
    i += bytes;
  }
}

}  // namespace

bool normalize_unicode(Encoder& e, bool compatible, bool composing) {
  // Text of lower characters stays as it is: U+0300 is the first that composes, U+00C0 the first that decomposes, U+00A0 with compatibility.
  const uint8_t least = compatible ? 0xc2 : composing ? 0xcc : 0xc3;
  size_t i = 0;
  while (i < e.main.size && e.main.text[i] < least) ++i;
  if (i == e.main.size) return true;
  const Tables& t = *e.tables;
  Work w{&e, e.next.text, placed<int8_t>(e.marks), 0, compatible ? &t.compatible : &t.decompositions};
  if (!decompose(w)) return false;
  order(w);
  if (composing && !compose(w)) return false;
  align(w);
  e.next.size = w.size;
  take_next(e);
  return true;
}

}  // namespace ert::text
