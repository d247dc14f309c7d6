/* langid: tells the language of each text given, with a model converted by `edgeconv langid.onnx --tokenizer tests/models/langid`.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer, the task and the labels are in the blob: text goes in, the answer comes out (ert_text.h). All memory is static, as it would be
 * on a device: the arena of the model, the working memory of the text. The blob stays in its file, mapped.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/platform.h"
#include "platform/posix/file_map.h"
#include "ert.h"
#include "ert_text.h"

enum { MAX_CLASSES = 64, MAX_LINE = 4096, MAX_IDS = 128, ARENA_BYTES = 1 << 20, WORK_BYTES = 1 << 19, NO_TEXT = 1 };

/* C99 has no alignment specifier, so the arena carries the slack and is aligned by hand. */
static unsigned char arena_storage[ARENA_BYTES + ERT_ARENA_ALIGN];
static uint64_t work[WORK_BYTES / 8];
static ert_model model;
static ert_context context;
static ert_text text_tables;
static ert_scored scored[MAX_CLASSES];

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "langid: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* The largest dims of this program: one text at a time. The names are those of the model. */
static ert_status choose_dims(int32_t* max_dims, int32_t sequence) {
  ert_info info = {.struct_size = sizeof info};
  ert_status status = ert_model_info(&model, &info);
  uint32_t i;
  for (i = 0; status == ERT_OK && i < info.dims; ++i) {
    ert_dim_info dim = {.struct_size = sizeof dim};
    status = ert_model_dim(&model, i, &dim);
    if (status != ERT_OK) break;
    max_dims[i] = dim.max;
    if (strcmp(dim.name, "batch") == 0) max_dims[i] = 1;
    if (strcmp(dim.name, "sequence") == 0 && sequence < dim.max) max_dims[i] = sequence;
  }
  return status;
}

static int print_costs(size_t blob_bytes) {
  static const int32_t lengths[] = {16, 32, 64, MAX_IDS};
  size_t i;
  printf("flash: %zu bytes for the blob\n", blob_bytes);
  for (i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    int32_t dims[ERT_MAX_DIMS];
    uint64_t macs = 0;
    ert_memory_need need = {.struct_size = sizeof need};
    ert_status status = choose_dims(dims, lengths[i]);
    if (status == ERT_OK) status = ert_arena_bytes(&model, NULL, dims, &need);
    if (status == ERT_OK) status = ert_model_macs(&model, dims, &macs);
    if (status != ERT_OK) return fail("costs", status);
    printf("RAM up to %3" PRId32 " ids: %zu bytes of arena, %zu bytes of model and context; %.2f million MACs a text\n",
           lengths[i], need.bytes, sizeof model + sizeof context, (double)macs / 1e6);
  }
  return 0;
}

/* 1: nothing to judge, such as digits or emoji only. The model would name a language all the same. */
static int without_letters(const char* text, ert_status* status) {
  int32_t first = 0;
  ert_text_options options = {.struct_size = sizeof options, .max_tokens = 1};
  ert_encoding encoding = {.struct_size = sizeof encoding, .capacity = 1, .ids = &first};
  *status = ert_text_encode(&text_tables, &options, text, strlen(text), NULL, 0, work, sizeof work, &encoding);
  return first == NO_TEXT;
}

static int classify(const char* text) {
  ert_question question = {.struct_size = sizeof question, .text = text, .bytes = strlen(text)};
  ert_answer answer = {.struct_size = sizeof answer, .capacity = MAX_CLASSES, .scored = scored};
  ert_status status;
  uint64_t begin, end;
  char name[64];
  const char *label, *english;
  size_t bytes;

  if (without_letters(text, &status)) {
    printf("%-18s                      %s\n", "no letters", text);
    return 0;
  }
  if (status != ERT_OK) return fail("encode", status);
  begin = ert_clock_ns();
  status = ert_text_run(&context, &text_tables, &question, work, sizeof work, &answer);
  end = ert_clock_ns();
  if (status == ERT_OK) status = ert_text_label(&text_tables, scored[0].label, &label, &bytes);
  if (status != ERT_OK) return fail("run", status);
  english = memchr(label, ' ', bytes); /* "de German": code, space, English name */
  if (english == NULL) {
    snprintf(name, sizeof name, "%.*s", (int)bytes, label);
  } else {
    snprintf(name, sizeof name, "%.*s (%.*s)", (int)(label + bytes - english - 1), english + 1, (int)(english - label) & 7,
             label);
  }
  printf("%-18s %5.1f %%  %6.2f ms  %s\n", name, 100 * (double)scored[0].score, (double)(end - begin) / 1e6, text);
  return 0;
}

/* Checks that the blob has this task, then takes the arena; afterwards only ert_text_run is left to do. */
static int prepare(void) {
  unsigned char* base = arena_storage + (ERT_ARENA_ALIGN - (uintptr_t)arena_storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  ert_region region = {base, ARENA_BYTES};
  int32_t dims[ERT_MAX_DIMS];
  ert_text_task_info task = {.struct_size = sizeof task};
  size_t need = 0;
  ert_status status = ert_text_open(&text_tables, &model);
  if (status != ERT_OK) return fail("tokenizer", status);
  status = ert_text_task_of(&text_tables, &model, &task);
  if (status != ERT_OK) return fail("task", status);
  if (task.task != ERT_TEXT_CLASSIFY || task.labels > MAX_CLASSES) {
    fprintf(stderr, "langid: the blob does not classify texts, or has more than %d labels\n", (int)MAX_CLASSES);
    return 1;
  }
  status = choose_dims(dims, MAX_IDS);
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, dims, &region, 1);
  if (status != ERT_OK) return fail("context", status);
  status = ert_text_run_bytes(&text_tables, &context, MAX_LINE, 0, &need);
  if (status == ERT_OK && need > sizeof work) status = ERT_ERR_NOMEM;
  return status == ERT_OK ? 0 : fail("working memory", status);
}

int main(int argc, char** argv) {
  static char line[MAX_LINE];
  ert_file_map map;
  ert_status status;
  int i, error, failed;

  if (argc < 2) {
    fprintf(stderr,
            "usage: langid BLOB.ert [--costs | TEXT...]\n"
            "Without a text, each line of the standard input is one.\n");
    return 2;
  }
  error = ert_file_map_open(&map, argv[1]);
  if (error != 0) {
    fprintf(stderr, "langid: %s: %s\n", argv[1], strerror(error));
    return 1;
  }
  status = ert_model_open(&model, map.data, map.bytes);
  if (status != ERT_OK) {
    failed = fail(argv[1], status);
  } else if (argc > 2 && strcmp(argv[2], "--costs") == 0) {
    failed = print_costs(map.bytes);
  } else {
    failed = prepare();
    for (i = 2; i < argc && !failed; ++i) failed = classify(argv[i]);
    while (argc == 2 && !failed && fgets(line, sizeof line, stdin) != NULL) {
      line[strcspn(line, "\r\n")] = '\0';
      failed = classify(line);
    }
  }
  ert_file_map_close(&map);
  return failed;
}
