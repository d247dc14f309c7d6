/* One number for everything that a blob computes over a corpus: equal on every target, ISA level and batch split. No heap and no
 * stdio, so that bare-metal targets link it too. The blob is the language model of tests/models/langid in any precision, or another model
 * of its ids (encoder_model.py) with one output [batch, columns]. */
#ifndef ERT_TESTS_DIGEST_H
#define ERT_TESTS_DIGEST_H

#include "rt/include/ert.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ERT_DIGEST_BATCH = 4, ERT_DIGEST_MAX_SEQUENCE = 128, ERT_DIGEST_MAX_COLUMNS = 384 };

typedef struct ert_digest_job {
  void* work; /* for ert_model_open_in; may be NULL where the stack is large */
  size_t work_bytes;
  const void* blob; /* 64-aligned */
  size_t blob_bytes;
  const char* texts; /* lines "language<TAB>text" */
  size_t texts_bytes;
  uint32_t max_texts;   /* 0 = all */
  uint32_t batch;       /* texts that also run together, padded; 1..ERT_DIGEST_BATCH */
  int32_t max_sequence; /* longer texts are cut; a small one keeps the arena small */
  uint32_t isa_mask;    /* 0 = the best */
  void* arena;          /* 64-aligned; what ert_digest_arena says */
  size_t arena_bytes;
} ert_digest_job;

typedef struct ert_digest_result {
  uint64_t digest; /* FNV-1a over all output bits; the caller sets the start, so several blobs make one number */
  uint32_t texts;
  uint32_t batch_differences; /* texts whose output in a padded batch is not that of the text alone: must be 0 */
  ert_isa isa;
} ert_digest_result;

ert_status ert_digest_arena(const ert_digest_job* job, size_t* bytes);
/* Replays the golden vectors of the blob, then runs every text alone, then in padded batches. */
ert_status ert_digest_run(const ert_digest_job* job, ert_digest_result* result);

#ifdef __cplusplus
}
#endif
#endif /* ERT_TESTS_DIGEST_H */
