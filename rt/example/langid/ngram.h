/* Hashed character n-grams: the ids that the language identification model reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The definition, which tests/models/langid/features.py repeats and check_features.py compares:
 *  1. Decode UTF-8. A byte that does not start a well-formed sequence (RFC 3629) counts as one U+FFFD,
 *     and decoding goes on at the next byte.
 *  2. Fold case by range arithmetic: ASCII, Latin-1, Latin Extended-A and -B (Romanian, Vietnamese),
 *     Latin Extended Additional, Greek, Cyrillic. No tables, no locale.
 *  3. Classify each character: separator (digits, punctuation, symbols), letter, or ideograph (kana,
 *     ideographs and Hangul syllables). A word is a run of letters or a run of ideographs.
 *  4. A word of letters c1..cn, with a boundary mark (a space) on either side, gives one id per letter:
 *     the hash of (c[i-1], c[i], c[i+1]). If 2 <= n <= 16 the whole word follows as one more id.
 *     A run of ideographs gives, for each, the hash of it alone and then, unless it is the last, the hash
 *     of it and its successor.
 *  5. Where a word starts, or inside it the script changes, and the script is not Latin, an id of the script
 *     comes first (see the enum): a rare letter group may share its bucket with another
 *     language's, but the script is never lost.
 *  6. The hash is FNV-1a over code points (32 bits a step) started with the kind of the n-gram, a final mix,
 *     modulo the buckets left for hashes.
 *  7. At most LANGID_MAX_IDS ids are kept, in text order. Text without any letter gives the one id LANGID_NO_TEXT.
 *
 * Thread safe and reentrant: no state. Stack use is below 200 bytes. */
#ifndef LANGID_NGRAM_H
#define LANGID_NGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LANGID_BUCKETS = 8192,   /* rows of the model's table */
  LANGID_MAX_IDS = 128,    /* longest sequence that the model takes */
  LANGID_PAD = 0,          /* padding, behind the mask */
  LANGID_NO_TEXT = 1,      /* nothing to judge: digits, punctuation, emoji only */
  LANGID_FIRST_SCRIPT = 2, /* Greek 2, Cyrillic, Hebrew, Arabic, Devanagari, Thai, Han, kana, Hangul, other 11 */
  LANGID_FIRST_HASH = 16,  /* hashes fill [16, LANGID_BUCKETS) */
  LANGID_WORD_MAX = 16     /* longer words give no whole-word id */
};

/* Writes the ids of the text (any bytes; no terminator needed) and returns how many, 1..max. A max above
 * LANGID_MAX_IDS counts as LANGID_MAX_IDS; a max below 1 writes nothing and returns 0. */
uint32_t langid_ngrams(const char* text, size_t bytes, int32_t* ids, uint32_t max);

#ifdef __cplusplus
}
#endif

#endif
