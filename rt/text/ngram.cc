// Hashed character n-grams: see ngram.h. Own code only, so that a program that calls ert_ngram_ids links nothing else of this folder but utf8.cc.
#include "rt/text/ngram.h"

#include "rt/text/models.h"

namespace ert::text {

namespace {

// The kind of n-gram starts the hash, so that a trigram and a word of the same letters differ.
enum GramKind : uint32_t { kTrigram = 1, kWholeWord = 2, kSingle = 3, kCharacterPair = 4 };
enum CharacterKind { kSeparator, kLetter, kIdeograph };

constexpr uint32_t kBoundary = 0x20;

bool within(uint32_t cp, uint32_t first, uint32_t last) { return cp - first <= last - first; }

uint32_t fold(uint32_t cp) {
  if (cp < 0x80) return within(cp, 'A', 'Z') ? cp + 32 : cp;
  if (within(cp, 0xC0, 0xDE)) return cp == 0xD7 ? cp : cp + 32;
  if (cp == 0x130) return 'i';  // Turkish dotted capital I
  if (cp == 0x178) return 0xFF;
  if (within(cp, 0x139, 0x148) || within(cp, 0x179, 0x17E) || cp == 0x1AF) return cp + (cp & 1);  // capitals are odd here
  if (within(cp, 0x100, 0x137) || within(cp, 0x14A, 0x177) || within(cp, 0x1A0, 0x1A1) || within(cp, 0x200, 0x233) ||
      within(cp, 0x1E00, 0x1E95) || within(cp, 0x1EA0, 0x1EFF) || within(cp, 0x490, 0x4BF))
    return cp | 1;  // capitals are even here
  if (cp == 0x386) return 0x3AC;
  if (within(cp, 0x388, 0x38A)) return cp + 37;
  if (cp == 0x38C) return 0x3CC;
  if (within(cp, 0x38E, 0x38F)) return cp + 63;
  if (within(cp, 0x391, 0x3AB)) return cp + 32;
  if (cp == 0x3C2) return 0x3C3;  // final sigma
  if (within(cp, 0x410, 0x42F)) return cp + 32;
  if (within(cp, 0x400, 0x40F)) return cp + 80;
  return cp;
}

CharacterKind kind_of(uint32_t cp) {
  if (cp < 0xC0) return within(cp, 'a', 'z') || cp == 0xAA || cp == 0xBA ? kLetter : kSeparator;
  if (cp < 0x2000) {
    if (cp == 0xD7 || cp == 0xF7 || cp == 0x37E || cp == 0x387 || cp == 0x5BE || cp == 0x60C || cp == 0x61B || cp == 0x61F ||
        cp == 0x640 || within(cp, 0x660, 0x66D) || cp == 0x6D4 || within(cp, 0x6F0, 0x6F9) || within(cp, 0x964, 0x96F) ||
        cp == 0xE3F || within(cp, 0xE4F, 0xE5B))
      return kSeparator;
    return kLetter;
  }
  if (cp < 0x2E80) return cp == 0x200C ? kLetter : kSeparator;  // the zero-width non-joiner is part of Persian words
  if (cp == 0x3005) return kIdeograph;                          // iteration mark
  if (within(cp, 0x3000, 0x303F) || cp == 0x30FB) return kSeparator;
  if (cp < 0xA000 || within(cp, 0xAC00, 0xD7AF) || within(cp, 0xF900, 0xFAFF) || within(cp, 0xFF66, 0xFF9D) ||
      within(cp, 0x20000, 0x3FFFF))
    return kIdeograph;
  if (cp >= 0xE000 && !within(cp, 0xFB00, 0xFDFF) && !within(cp, 0xFE70, 0xFEFC))
    return kSeparator;  // private use, full-width signs, emoji, U+FFFD
  return kLetter;
}

// 0 is Latin, which needs no id: it is the common case and what every keyboard can type.
uint32_t script_of(uint32_t cp) {
  if (cp < 0x370 || within(cp, 0x1E00, 0x1EFF)) return 0;
  if (cp < 0x400 || within(cp, 0x1F00, 0x1FFF)) return 1;  // Greek
  if (cp < 0x530) return 2;                                // Cyrillic
  if (within(cp, 0x590, 0x5FF) || within(cp, 0xFB1D, 0xFB4F)) return 3;
  if (within(cp, 0x600, 0x77F) || within(cp, 0x8A0, 0x8FF) || cp == 0x200C || within(cp, 0xFB50, 0xFDFF) ||
      within(cp, 0xFE70, 0xFEFF))
    return 4;  // Arabic
  if (within(cp, 0x900, 0x97F)) return 5;
  if (within(cp, 0xE00, 0xE7F)) return 6;
  if (within(cp, 0x3040, 0x30FF) || within(cp, 0x31F0, 0x31FF) || within(cp, 0xFF66, 0xFF9D)) return 8;  // kana
  if (within(cp, 0xAC00, 0xD7AF) || within(cp, 0x1100, 0x11FF) || within(cp, 0x3130, 0x318F)) return 9;  // Hangul
  return kind_of(cp) == kIdeograph ? 7 : 10;
}

uint32_t start_hash(uint32_t kind) { return (2166136261u ^ kind) * 16777619u; }
uint32_t step_hash(uint32_t hash, uint32_t cp) { return (hash ^ cp) * 16777619u; }

// FNV over whole code points leaves its low bits weak; the mix spreads the high ones down.
int32_t bucket_of(const ert_ngram_form& f, uint32_t hash) {
  hash ^= hash >> 13;
  hash *= 0x5BD1E995u;
  hash ^= hash >> 15;
  return static_cast<int32_t>(f.first_hash + hash % (f.buckets - f.first_hash));
}

// A character is judged once its successor is known; the end of the text acts as a separator. put(id, begin, end) takes an id with the bytes
// that it stands for, and says whether there is room for more.
template <class Put>
void walk_ngrams(const ert_ngram_form& f, const uint8_t* text, size_t bytes, const Put& put) {
  uint32_t length = 0, word = 0, script = 0, before = kBoundary, here = kBoundary;
  size_t at = 0, here_at = 0, word_at = 0;
  CharacterKind run = kSeparator;
  while (at < bytes || run != kSeparator) {
    uint32_t next = kBoundary;
    CharacterKind kind = kSeparator;
    const size_t next_at = at;
    if (at < bytes) {
      const Character c = foreign_character_spm(text + at, text + bytes);
      next = fold(c.code);
      at += c.bytes;
      kind = kind_of(next);
    }
    if (run != kSeparator) {
      const uint32_t now = script_of(here);
      if (now != script && now != 0 && !put(static_cast<int32_t>(f.first_script - 1 + now), here_at, next_at)) return;
      script = now;
    }
    if (run == kLetter) {
      const uint32_t after = kind == kLetter ? next : kBoundary;
      const uint32_t trigram = step_hash(step_hash(step_hash(start_hash(kTrigram), before), here), after);
      if (!put(bucket_of(f, trigram), here_at, next_at)) return;
      word = step_hash(word, here);
      ++length;
      if (kind != kLetter && length >= 2 && length <= f.longest_word && !put(bucket_of(f, word), word_at, next_at)) return;
    } else if (run == kIdeograph) {
      if (!put(bucket_of(f, step_hash(start_hash(kSingle), here)), here_at, next_at)) return;
      const uint32_t both = step_hash(step_hash(start_hash(kCharacterPair), here), next);
      if (kind == kIdeograph && !put(bucket_of(f, both), here_at, at)) return;
    }
    if (kind != run) {
      word = start_hash(kWholeWord);
      length = 0;
      script = 0;
      here = kBoundary;
      word_at = next_at;
    }
    before = here;
    here = next;
    here_at = next_at;
    run = kind;
  }
}

}  // namespace

// A text of n bytes has n + 1 n-grams at most: letters give one a byte, a whole word one more for the separator behind it, ideographs three
// for three bytes but two where their run ends.
bool encode_ngrams(Encoder& e, size_t begin, size_t end) {
  const NgramTable& n = *e.tables->ngrams.data;
  bool room = true;
  const auto put = [&](int32_t id, size_t a, size_t b) {
    room = e.token_count < e.capacity;
    if (room) e.emit(id, begin + a, begin + b);
    return room;
  };
  walk_ngrams({n.buckets, n.first_hash, n.first_script, n.no_text, n.longest_word}, e.main.text + begin, end - begin, put);
  return room;
}

}  // namespace ert::text

uint32_t ert_ngram_ids(const ert_ngram_form* form, const char* text, size_t bytes, int32_t* ids, uint32_t max) {
  uint32_t count = 0;
  if (max == 0) return 0;
  const auto put = [&](int32_t id, size_t, size_t) {
    ids[count++] = id;
    return count < max;
  };
  ert::text::walk_ngrams(*form, ert::text::placed<const uint8_t>(text), bytes, put);
  if (count == 0) ids[count++] = static_cast<int32_t>(form->no_text);
  return count;
}
