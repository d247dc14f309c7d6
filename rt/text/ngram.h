/* Hashed character n-grams: ids without a vocabulary, as the shipped language model reads them.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kind of tokenizer like the others (ERT_TEXT_NGRAM). C code that has no room for ert_text.h calls ert_ngram_ids alone: it is in the
 * library, and links nothing else.
 *
 * The definition, which tests/models/langid/features.py repeats and check_features.py compares:
 *  1. Decode UTF-8. A byte that does not start a well-formed sequence (RFC 3629) counts as one U+FFFD,
 *     and decoding goes on at the next byte.
 *  2. Fold case by range arithmetic: ASCII, Latin-1, Latin Extended-A and -B (Romanian, Vietnamese),
 *     Latin Extended Additional, Greek, Cyrillic. No tables, no locale.
 *  3. Classify each character: separator (digits, punctuation, symbols), letter, or ideograph (kana,
 *     ideographs and Hangul syllables). A word is a run of letters or a run of ideographs.
 *  4. A word of letters c1..cn, with a boundary mark (a space) on either side, gives one id per letter:
 *     the hash of (c[i-1], c[i], c[i+1]). If 2 <= n <= longest_word the whole word follows as one more id.
 *     A run of ideographs gives, for each, the hash of it alone and then, unless it is the last, the hash
 *     of it and its successor.
 *  5. Where a word starts, or inside it the script changes, and the script is not Latin, an id of the script
 *     comes first (first_script is Greek; Cyrillic, Hebrew, Arabic, Devanagari, Thai, Han, kana, Hangul, other follow): a rare letter
 *     group may share its bucket with another language's, but the script is never lost.
 *  6. The hash is FNV-1a over code points (32 bits a step) started with the kind of the n-gram, a final mix,
 *     modulo the buckets left for hashes: [first_hash, buckets).
 *  7. Text without any letter gives the one id no_text. */
#ifndef ERT_TEXT_NGRAM_H
#define ERT_TEXT_NGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where ids lie. Ids below first_hash that are no script and not no_text are the model's own, such as padding. */
typedef struct ert_ngram_form {
  uint32_t buckets;      /* rows of the model's table */
  uint32_t first_hash;   /* below buckets */
  uint32_t first_script; /* of 10 ids */
  uint32_t no_text;
  uint32_t longest_word; /* letters; longer words give no whole-word id */
} ert_ngram_form;

/* Of the shipped language model: tests/models/langid/tokenizer.json says the same. */
#define ERT_NGRAM_FORM_OF_LANGID {8192, 16, 2, 1, 16}
enum { LANGID_MAX_IDS = 128, LANGID_NO_TEXT = 1 };

/* Writes the first ids of the text (any bytes; no terminator needed) and returns how many, 1..max. A max of 0 writes nothing and
 * returns 0. Thread safe and reentrant: no state. Stack use is below 200 bytes. */
uint32_t ert_ngram_ids(const ert_ngram_form* form, const char* text, size_t bytes, int32_t* ids, uint32_t max);

#ifdef __cplusplus
}
#endif

#endif
