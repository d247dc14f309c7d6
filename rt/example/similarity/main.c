/* similarity: how alike two texts are, with an embedding model converted by `edgeconv minilm.onnx --tokenizer all-MiniLM-L6-v2/`.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text in, vector out (ert_text.h), then the cosine of the vectors. All memory is static, as it would be on a device; the blob stays in its file, mapped.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/posix/file_map.h"
#include "ert.h"
#include "ert_text.h"

enum { MAX_VECTOR = 4096, MAX_TEXT = 8192, MAX_TOKENS = 128, ARENA_BYTES = 16 << 20, WORK_BYTES = 4 << 20 };

/* C99 has no alignment specifier, so the arena carries the slack and is aligned by hand. */
static unsigned char arena_storage[ARENA_BYTES + ERT_ARENA_ALIGN];
static uint64_t work[WORK_BYTES / 8];
static ert_model model;
static ert_context context;
static ert_text text_tables;
static float vectors[2][MAX_VECTOR];

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "similarity: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* One text at a time, of MAX_TOKENS at most: dims named batch are 1, all others no larger than that. */
static ert_status choose_dims(int32_t* dims, uint32_t count) {
  ert_status status = ERT_OK;
  uint32_t i;
  for (i = 0; status == ERT_OK && i < count; ++i) {
    ert_dim_info dim = {.struct_size = sizeof dim};
    status = ert_model_dim(&model, i, &dim);
    if (status != ERT_OK) break;
    dims[i] = dim.max < MAX_TOKENS ? dim.max : MAX_TOKENS;
    if (dims[i] < dim.min || strcmp(dim.name, "batch") == 0) dims[i] = dim.min;
  }
  return status;
}

static int prepare(uint32_t* elements) {
  unsigned char* base = arena_storage + (ERT_ARENA_ALIGN - (uintptr_t)arena_storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  ert_region region = {base, ARENA_BYTES};
  int32_t dims[ERT_MAX_DIMS];
  ert_info info = {.struct_size = sizeof info};
  ert_text_task_info task = {.struct_size = sizeof task};
  ert_status status = ert_model_info(&model, &info);
  if (status == ERT_OK) status = ert_text_open(&text_tables, &model);
  if (status == ERT_OK) status = ert_text_task_of(&text_tables, &model, &task);
  if (status != ERT_OK) return fail("tokenizer", status);
  if (task.task != ERT_TEXT_EMBED || task.vector > MAX_VECTOR) {
    fprintf(stderr, "similarity: the blob gives no vectors, or such of more than %d elements\n", (int)MAX_VECTOR);
    return 1;
  }
  *elements = task.vector;
  status = choose_dims(dims, info.dims);
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, dims, &region, 1);
  return status == ERT_OK ? 0 : fail("context", status);
}

static int embed(const char* text, float* vector, int* truncated) {
  ert_question question = {.struct_size = sizeof question, .text = text, .bytes = strlen(text)};
  ert_answer answer = {.struct_size = sizeof answer, .capacity = MAX_VECTOR, .vector = vector};
  ert_status status;
  if (question.bytes > MAX_TEXT) {
    fprintf(stderr, "similarity: a text of more than %d bytes\n", (int)MAX_TEXT);
    return 1;
  }
  status = ert_text_run(&context, &text_tables, &question, work, sizeof work, &answer);
  *truncated |= answer.truncated != 0;
  return status == ERT_OK ? 0 : fail("run", status);
}

static double cosine(const float* a, const float* b, uint32_t n) {
  double ab = 0, aa = 0, bb = 0;
  uint32_t i;
  for (i = 0; i < n; ++i) ab += (double)a[i] * b[i], aa += (double)a[i] * a[i], bb += (double)b[i] * b[i];
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

int main(int argc, char** argv) {
  ert_file_map map;
  ert_status status;
  uint32_t elements = 0;
  int error, failed, truncated = 0;
  if (argc != 4) {
    fprintf(stderr, "usage: similarity BLOB.ert TEXT TEXT\n");
    return 2;
  }
  error = ert_file_map_open(&map, argv[1]);
  if (error != 0) {
    fprintf(stderr, "similarity: %s: %s\n", argv[1], strerror(error));
    return 1;
  }
  status = ert_model_open(&model, map.data, map.bytes);
  failed = status == ERT_OK ? prepare(&elements) : fail(argv[1], status);
  if (!failed) failed = embed(argv[2], vectors[0], &truncated);
  if (!failed) failed = embed(argv[3], vectors[1], &truncated);
  if (!failed)
    printf("%.4f%s\n", cosine(vectors[0], vectors[1], elements), truncated ? " (a text was cut to what the model takes)" : "");
  ert_file_map_close(&map);
  return failed;
}
