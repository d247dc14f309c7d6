/* ert_text.h - text in, ids out: the tokenizer that a blob carries (`edgeconv MODEL.onnx --tokenizer FILE|DIR`), without heap.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Life of a tokenizer
 *   1. ert_text_open    verifies the tables in the blob of an opened model and fills a small ert_text
 *   2. ert_text_bytes   the exact number of bytes of working memory for the longest text and pair
 *   3. ert_text_encode  one text, or a text and its pair, gives ids; ert_text_window the further windows of a long pair
 *   4. ert_text_decode  ids give text
 *   or ert_text_run     text, or a text and its pair, gives the answer of the task that the model was converted for
 *
 * What ert.h says of threads, interrupts, ownership, struct_size and errors holds here too. A const ert_text may be shared by any number of
 * threads; working memory belongs to one call at a time. Nothing here has a heap, a locale, recursion or writable globals.
 *
 * Text is UTF-8, which need not be valid and need not end in a zero byte. Where it is not valid each maximal part of a sequence counts as
 * U+FFFD, as Python's bytes.decode('utf-8', 'replace') has it; a tokenizer that was made from a SentencePiece model counts each byte that
 * begins no valid sequence. Offsets count bytes of the text as it was given. A token that has part of a character has the whole of it.
 */
#ifndef ERT_TEXT_H
#define ERT_TEXT_H

#include "ert.h" /* beside this file, in a checkout and installed */

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* as in ert.h */
#endif

/* Caller storage; contents are private. Copyable; constant after ert_text_open. */
typedef struct ert_text {
  uint64_t opaque[80];
} ert_text;

/* Verifies the tokenizer of a model and fills t. The blob stays in place and unchanged while t is used. Reads the tables once.
 * Returns OK, ARG, UNSUPPORTED (the blob has no tokenizer, or one of a kind that is not linked), VERSION (tables of a later format),
 * FORMAT (sizes, section table), MODEL (contents), ALIGN. */
ert_status ert_text_open(ert_text* t, const ert_model* m);

/* The same for tables that stand alone, without a model: the contents of a tokenizer segment, 8-aligned. */
ert_status ert_text_open_tables(ert_text* t, const void* tables, size_t bytes);

typedef enum ert_text_kind {
  ERT_TEXT_WORDPIECE = 1,
  ERT_TEXT_BPE = 2,
  ERT_TEXT_UNIGRAM = 3,
  ERT_TEXT_WORDLEVEL = 4,
  ERT_TEXT_SENTENCEPIECE_BPE = 5,
  ERT_TEXT_NGRAM = 6
} ert_text_kind;

typedef struct ert_text_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t kind;        /* ert_text_kind */
  uint32_t vocabulary;  /* highest id + 1 */
  uint32_t max_tokens;  /* that a text or pair is cut to by default, special tokens included; 0: never cut */
  uint32_t special_tokens, special_tokens_of_pair; /* that are added to a text, to a text and its pair */
  uint32_t expansion; /* bytes of normalized text that a byte of text can become, rounded up */
  int32_t pad_id;     /* that padding uses, 0 if the tokenizer names none */
} ert_text_info;
ert_status ert_text_describe(const ert_text* t, ert_text_info* out);

/* Working memory of ert_text_encode for texts of up to max_bytes and pairs of up to max_pair_bytes (0 without pairs): at most
 * 4096 + 24 * expansion * (max_bytes + max_pair_bytes), and a constant of the tokenizer for what it puts before texts.
 * Returns OK, ARG, LIMIT (more than this machine can address, or texts of 2^30 bytes after expansion). */
ert_status ert_text_bytes(const ert_text* t, size_t max_bytes, size_t max_pair_bytes, size_t* need);

typedef struct ert_span {
  uint32_t start, end; /* bytes of the text or pair that was given, end exclusive; both 0 for special tokens and padding */
} ert_span;

/* Where ids go, and what became of the text. Arrays that are NULL are not written. */
typedef struct ert_encoding {
  uint32_t struct_size;   /* set by the caller, as are the arrays and capacity */
  uint32_t capacity;      /* elements of each array */
  int32_t* ids;
  int32_t* type_ids;      /* of the text, of its pair: 0 and 1 as a rule */
  int32_t* attention;     /* 1; 0 for padding */
  int32_t* special;       /* 1 for special tokens and padding */
  ert_span* offsets;
  uint8_t* sequence;      /* 0: token of the text, 1: of the pair, 255: special or padding */
  uint8_t* word_starts;   /* 1: the first token of a piece that the pre-tokenizer found (a word), and every special token; 0: inside */
  uint32_t tokens;        /* written, padding included. After NOMEM: the capacity that is needed */
  uint32_t truncated;     /* 1: the text or pair was cut */
  uint32_t windows;       /* 1, or how many ert_text_window gives */
  uint32_t text_tokens, pair_tokens; /* before cutting, without special tokens */
} ert_encoding;

typedef enum ert_text_flags {
  ERT_TEXT_NO_SPECIAL_TOKENS = 1, /* only what the text gives */
  ERT_TEXT_NO_TRUNCATION = 2,     /* whatever the blob says, unless max_tokens is set */
  ERT_TEXT_NO_PADDING = 4         /* whatever the blob says, unless pad_to is set */
} ert_text_flags;

typedef enum ert_truncation {
  ERT_TRUNCATE_AS_BLOB = 0,
  ERT_TRUNCATE_LONGEST_FIRST = 1, /* the longer of text and pair, until both fit */
  ERT_TRUNCATE_FIRST = 2,
  ERT_TRUNCATE_SECOND = 3
} ert_truncation;

/* All zero but struct_size: what the blob says. */
typedef struct ert_text_options {
  uint32_t struct_size;
  uint32_t flags;      /* ert_text_flags */
  uint32_t max_tokens; /* special tokens included; 0: as the blob says */
  uint32_t truncation; /* ert_truncation */
  uint32_t stride;     /* tokens that neighbouring windows of a cut text share; 0: as the blob says */
  uint32_t pad_to;     /* pads up to this many tokens; 0: as the blob says */
} ert_text_options;

/* Encodes `bytes` bytes at text, and a pair if `pair` is not NULL (an empty pair is not none). options may be NULL. `work` is 8-aligned.
 * The work memory keeps the tokens for ert_text_window until the next call. Arrays overlap neither work nor the texts.
 * Returns OK, ARG, ALIGN, NOMEM (work_bytes is less than ert_text_bytes says, or capacity is too small: out->tokens tells), LIMIT (max_tokens
 * is less than the special tokens; a text of more than 2^30 bytes), DIMS (stride is not less than the room for the text; the text or pair that is to be
 * cut is too short), MODEL (the text gives a piece that the vocabulary has no id for, and the tokenizer none for unknown pieces). */
ert_status ert_text_encode(const ert_text* t, const ert_text_options* options, const void* text, size_t bytes, const void* pair, size_t pair_bytes,
                           void* work, size_t work_bytes, ert_encoding* out);

/* Window i of the last ert_text_encode with this work memory, which gave window 0. Cut is the text, or with a pair what truncation names: the
 * pair with ERT_TRUNCATE_SECOND. The text and pair of that call must still be where they were: tokenizers that trim blanks from offsets read them
 * again. Statuses as there; ARG also for a window that is not there. */
ert_status ert_text_window(const ert_text* t, const void* work, uint32_t i, ert_encoding* out);

/* The text of `count` ids, UTF-8, without a zero byte at its end. Special tokens are left out if skip_special is not 0; ids that the
 * vocabulary does not have always. *bytes is what it takes, also when capacity is too small (NOMEM; the part that fits is written).
 * Returns OK, ARG, NOMEM. */
ert_status ert_text_decode(const ert_text* t, const int32_t* ids, size_t count, int skip_special, char* out, size_t capacity, size_t* bytes);

/* The piece of an id as the tables have it: *piece points into the blob. Returns OK, ARG (no such id). */
ert_status ert_text_piece(const ert_text* t, int32_t id, const char** piece, size_t* bytes);

/* ---- tasks: from text to an answer ------------------------------------------------------------------------------- */

/* What the model was converted for (`edgeconv MODEL.onnx --tokenizer DIR --task NAME`). */
typedef enum ert_text_task {
  ERT_TEXT_NO_TASK = 0,
  ERT_TEXT_EMBED = 1,    /* a vector */
  ERT_TEXT_CLASSIFY = 2, /* the model's labels with scores */
  ERT_TEXT_TOKENS = 3,   /* spans of the text with a label */
  ERT_TEXT_QA = 4,       /* text: a question, pair: a context; spans of the context */
  ERT_TEXT_ZERO_SHOT = 5 /* labels of the caller's with scores */
} ert_text_task;

typedef struct ert_text_task_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t task;        /* ert_text_task */
  uint32_t labels;      /* of the model; ert_text_label has their names */
  uint32_t vector;      /* elements of embed's vector, otherwise 0 */
  uint32_t max_tokens;  /* of one run */
  uint32_t independent; /* 1: scores of labels do not add up to 1 */
} ert_text_task_info;
/* Returns OK, ARG, MODEL (tables that do not belong to this model). m is the model that t was opened with. */
ert_status ert_text_task_of(const ert_text* t, const ert_model* m, ert_text_task_info* out);

/* Name of label i: *name points into the blob and has no zero byte at its end. Returns OK, ARG (no such label). */
ert_status ert_text_label(const ert_text* t, uint32_t i, const char** name, size_t* bytes);

typedef struct ert_text_name {
  const char* data; /* UTF-8 */
  size_t bytes;
} ert_text_name;

typedef struct ert_question {
  uint32_t struct_size; /* set by the caller */
  uint32_t top;         /* qa: how many answers are wanted, 16 at most; 0: one */
  const void* text;
  size_t bytes;
  const void* pair; /* NULL: none. qa: the context, which must be there */
  size_t pair_bytes;
  const ert_text_name* labels; /* zero-shot only */
  uint32_t label_count;
  uint32_t multi_label;  /* zero-shot: 1: labels do not exclude each other */
  const char* hypothesis; /* zero-shot: template with {} for the label; NULL: that of the blob */
  size_t hypothesis_bytes;
} ert_question;

/* label: of the model, or of ert_question.labels; of a span that of its first token. span: bytes of the text, qa: of the context. */
typedef struct ert_scored {
  uint32_t label;
  float score; /* 0 to 1 */
  ert_span span;
} ert_scored;

typedef struct ert_answer {
  uint32_t struct_size; /* set by the caller, as are the arrays and capacity */
  uint32_t capacity;    /* elements of the array that the task uses */
  float* vector;        /* embed */
  ert_scored* scored;   /* other tasks: best first; tokens: in the order of the text */
  uint32_t count;       /* elements written. After NOMEM: the capacity that is needed */
  uint32_t truncated;   /* 1: the text was cut to what the model or the context takes */
  uint32_t tokens;      /* of all runs, special tokens included */
  uint32_t runs;        /* of the model: windows of a long context, labels of zero-shot */
} ert_answer;

/* Working memory of ert_text_run with this context, for texts of up to max_bytes and pairs of up to max_pair_bytes (zero-shot: a hypothesis
 * with its label): exact. Returns OK, ARG, STATE (context not initialised), LIMIT,
 * UNSUPPORTED (the blob has no task). */
ert_status ert_text_run_bytes(const ert_text* t, const ert_context* c, size_t max_bytes, size_t max_pair_bytes, size_t* need);

/* Encodes, runs the model once or as often as the task needs, and makes the answer. Inputs and outputs are bound to memory inside `work`
 * (8-aligned), bindings of before are lost. Cut is what the task's pipeline of the transformers library cuts: longest first, qa and zero-shot
 * the context and the text; qa looks at windows that overlap by half of the room, 128 tokens at most.
 * Returns OK, ARG, ALIGN, NOMEM (work_bytes, or answer->capacity: count tells), UNSUPPORTED, LIMIT, DIMS, MODEL as ert_text_encode, and what
 * ert_run returns. */
ert_status ert_text_run(ert_context* c, const ert_text* t, const ert_question* q, void* work, size_t work_bytes, ert_answer* answer);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* ERT_TEXT_H */
