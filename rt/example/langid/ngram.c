/* SPDX-License-Identifier: Apache-2.0 */
#include "ngram.h"

/* The kind of n-gram starts the hash, so that a trigram and a word of the same letters differ. */
enum { KIND_TRIGRAM = 1, KIND_WORD = 2, KIND_SINGLE = 3, KIND_PAIR = 4 };
enum { SEPARATOR, LETTER, IDEOGRAPH };

static const uint32_t kBoundary = 0x20;

/* One character and its length in bytes. The ranges of the second byte exclude overlong forms and surrogates. */
static uint32_t decode(const unsigned char* p, size_t left, size_t* used) {
  uint32_t first = p[0], low = 0x80, high = 0xBF, cp;
  size_t need, i;

  *used = 1;
  if (first < 0x80) return first;
  if (first >= 0xC2 && first <= 0xDF) {
    need = 1;
    cp = first & 0x1F;
  } else if (first >= 0xE0 && first <= 0xEF) {
    need = 2;
    cp = first & 0x0F;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    need = 3;
    cp = first & 0x07;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0xFFFD;
  }
  if (left <= need) return 0xFFFD;
  for (i = 1; i <= need; ++i) {
    if (p[i] < low || p[i] > high) return 0xFFFD;
    cp = cp << 6 | (p[i] & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  *used = need + 1;
  return cp;
}

static int within(uint32_t cp, uint32_t first, uint32_t last) { return cp - first <= last - first; }

static uint32_t fold(uint32_t cp) {
  if (cp < 0x80) return within(cp, 'A', 'Z') ? cp + 32 : cp;
  if (within(cp, 0xC0, 0xDE)) return cp == 0xD7 ? cp : cp + 32;
  if (cp == 0x130) return 'i'; /* Turkish dotted capital I */
  if (cp == 0x178) return 0xFF;
  if (within(cp, 0x139, 0x148) || within(cp, 0x179, 0x17E) || cp == 0x1AF) return cp + (cp & 1); /* capitals are odd here */
  if (within(cp, 0x100, 0x137) || within(cp, 0x14A, 0x177) || within(cp, 0x1A0, 0x1A1) || within(cp, 0x200, 0x233) ||
      within(cp, 0x1E00, 0x1E95) || within(cp, 0x1EA0, 0x1EFF) || within(cp, 0x490, 0x4BF))
    return cp | 1; /* capitals are even here */
  if (cp == 0x386) return 0x3AC;
  if (within(cp, 0x388, 0x38A)) return cp + 37;
  if (cp == 0x38C) return 0x3CC;
  if (within(cp, 0x38E, 0x38F)) return cp + 63;
  if (within(cp, 0x391, 0x3AB)) return cp + 32;
  if (cp == 0x3C2) return 0x3C3; /* final sigma */
  if (within(cp, 0x410, 0x42F)) return cp + 32;
  if (within(cp, 0x400, 0x40F)) return cp + 80;
  return cp;
}

static int kind_of(uint32_t cp) {
  if (cp < 0xC0) return within(cp, 'a', 'z') || cp == 0xAA || cp == 0xBA ? LETTER : SEPARATOR;
  if (cp < 0x2000) {
    if (cp == 0xD7 || cp == 0xF7 || cp == 0x37E || cp == 0x387 || cp == 0x5BE || cp == 0x60C || cp == 0x61B || cp == 0x61F ||
        cp == 0x640 || within(cp, 0x660, 0x66D) || cp == 0x6D4 || within(cp, 0x6F0, 0x6F9) || within(cp, 0x964, 0x96F) ||
        cp == 0xE3F || within(cp, 0xE4F, 0xE5B))
      return SEPARATOR;
    return LETTER;
  }
  if (cp < 0x2E80) return cp == 0x200C ? LETTER : SEPARATOR; /* the zero-width non-joiner is part of Persian words */
  if (cp == 0x3005) return IDEOGRAPH;                        /* iteration mark */
  if (within(cp, 0x3000, 0x303F) || cp == 0x30FB) return SEPARATOR;
  if (cp < 0xA000 || within(cp, 0xAC00, 0xD7AF) || within(cp, 0xF900, 0xFAFF) || within(cp, 0xFF66, 0xFF9D) ||
      within(cp, 0x20000, 0x3FFFF))
    return IDEOGRAPH;
  if (cp >= 0xE000 && !within(cp, 0xFB00, 0xFDFF) && !within(cp, 0xFE70, 0xFEFC))
    return SEPARATOR; /* private use, full-width signs, emoji, U+FFFD */
  return LETTER;
}

/* 0 is Latin, which needs no id: it is the common case and what every keyboard can type. */
static uint32_t script_of(uint32_t cp) {
  if (cp < 0x370 || within(cp, 0x1E00, 0x1EFF)) return 0;
  if (cp < 0x400 || within(cp, 0x1F00, 0x1FFF)) return 1; /* Greek */
  if (cp < 0x530) return 2;                               /* Cyrillic */
  if (within(cp, 0x590, 0x5FF) || within(cp, 0xFB1D, 0xFB4F)) return 3;
  if (within(cp, 0x600, 0x77F) || within(cp, 0x8A0, 0x8FF) || cp == 0x200C || within(cp, 0xFB50, 0xFDFF) ||
      within(cp, 0xFE70, 0xFEFF))
    return 4; /* Arabic */
  if (within(cp, 0x900, 0x97F)) return 5;
  if (within(cp, 0xE00, 0xE7F)) return 6;
  if (within(cp, 0x3040, 0x30FF) || within(cp, 0x31F0, 0x31FF) || within(cp, 0xFF66, 0xFF9D)) return 8; /* kana */
  if (within(cp, 0xAC00, 0xD7AF) || within(cp, 0x1100, 0x11FF) || within(cp, 0x3130, 0x318F)) return 9; /* Hangul */
  return kind_of(cp) == IDEOGRAPH ? 7 : 10;
}

static uint32_t start(uint32_t kind) { return (2166136261u ^ kind) * 16777619u; }

static uint32_t step(uint32_t hash, uint32_t cp) { return (hash ^ cp) * 16777619u; }

/* FNV over whole code points leaves its low bits weak; the mix spreads the high ones down. */
static int32_t bucket(uint32_t hash) {
  hash ^= hash >> 13;
  hash *= 0x5BD1E995u;
  hash ^= hash >> 15;
  return (int32_t)(LANGID_FIRST_HASH + hash % (LANGID_BUCKETS - LANGID_FIRST_HASH));
}

uint32_t langid_ngrams(const char* text, size_t bytes, int32_t* ids, uint32_t max) {
  const unsigned char* p = (const unsigned char*)text;
  uint32_t count = 0, length = 0, word = 0, script = 0, before = kBoundary, here = kBoundary;
  size_t at = 0, used;
  int run = SEPARATOR;

  if (max > LANGID_MAX_IDS) max = LANGID_MAX_IDS;
  if (max == 0) return 0;
  /* A character is judged once its successor is known; the end of the text acts as a separator. */
  while (count < max && (at < bytes || run != SEPARATOR)) {
    uint32_t next = kBoundary;
    int kind = SEPARATOR;
    if (at < bytes) {
      next = fold(decode(p + at, bytes - at, &used));
      at += used;
      kind = kind_of(next);
    }
    if (run != SEPARATOR) {
      uint32_t now = script_of(here);
      if (now != script && now != 0) ids[count++] = (int32_t)(LANGID_FIRST_SCRIPT - 1 + now);
      script = now;
      if (count == max) break;
    }
    if (run == LETTER) {
      uint32_t after = kind == LETTER ? next : kBoundary;
      ids[count++] = bucket(step(step(step(start(KIND_TRIGRAM), before), here), after));
      word = step(word, here);
      ++length;
      if (kind != LETTER && length >= 2 && length <= LANGID_WORD_MAX && count < max) ids[count++] = bucket(word);
    } else if (run == IDEOGRAPH) {
      ids[count++] = bucket(step(start(KIND_SINGLE), here));
      if (kind == IDEOGRAPH && count < max) ids[count++] = bucket(step(step(start(KIND_PAIR), here), next));
    }
    if (kind != run) {
      word = start(KIND_WORD);
      length = 0;
      script = 0;
      here = kBoundary;
    }
    before = here;
    here = next;
    run = kind;
  }
  if (count == 0) ids[count++] = LANGID_NO_TEXT;
  return count;
}
