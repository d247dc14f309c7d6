/* langid: tells the language of each text given, with a model converted by `edgeconv langid.onnx`.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All memory is static, as it would be on a device: the arena, the ids, the labels. The blob stays in its file, mapped.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ngram.h"
#include "platform/platform.h"
#include "platform/posix/file_map.h"
#include "rt/include/ert.h"

enum { MAX_CLASSES = 64, LABEL_BYTES = 48, MAX_LINE = 4096, ARENA_BYTES = 1 << 20 };

/* C99 has no alignment specifier, so the arena carries the slack and is aligned by hand. */
static unsigned char arena_storage[ARENA_BYTES + ERT_ARENA_ALIGN];
static ert_model model;
static ert_context context;
static int32_t ids[LANGID_MAX_IDS];
static int32_t mask[LANGID_MAX_IDS];
static float logits[MAX_CLASSES];
static char labels[MAX_CLASSES][LABEL_BYTES];

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "langid: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* One class a line: code, space, English name. Returns the number of classes, or -1. */
static int read_labels(const char* path) {
  FILE* file = fopen(path, "r");
  int count = 0;
  if (file == NULL) return -1;
  while (count < MAX_CLASSES && fgets(labels[count], LABEL_BYTES, file) != NULL) {
    labels[count][strcspn(labels[count], "\r\n")] = '\0';
    if (labels[count][0] != '\0') ++count;
  }
  fclose(file);
  return count;
}

/* The largest dims of this program: one text at a time, as many ids as ngram.h gives. The names are those of the model. */
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
  static const int32_t lengths[] = {16, 32, 64, LANGID_MAX_IDS};
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

/* A tensor of shape [1, length] on static storage. */
static ert_tensor row_of(void* data, uint32_t dtype, int32_t length) {
  ert_tensor t = {.struct_size = sizeof t, .dtype = dtype, .rank = 2, .data = data};
  t.shape[0] = 1;
  t.shape[1] = length;
  t.bytes = (size_t)length * 4;
  return t;
}

/* Inputs are found by name: their order in the blob is the converter's business. */
static ert_status bind(int32_t length) {
  uint32_t i;
  for (i = 0; i < 2; ++i) {
    ert_value_info value = {.struct_size = sizeof value};
    ert_status status = ert_model_input(&model, i, &value);
    ert_tensor t;
    if (status != ERT_OK) return status;
    t = row_of(strcmp(value.name, "input_ids") == 0 ? ids : mask, ERT_I32, length);
    status = ert_bind_input(&context, i, &t);
    if (status != ERT_OK) return status;
  }
  return ERT_OK;
}

static int classify(const char* text, int classes) {
  uint32_t count = langid_ngrams(text, strlen(text), ids, LANGID_MAX_IDS), i;
  uint64_t begin, end;
  ert_tensor output = row_of(logits, ERT_F32, classes);
  ert_status status;
  double sum = 0;
  int best = 0, k;
  char name[LABEL_BYTES + 8];
  const char *label, *english;

  if (ids[0] == LANGID_NO_TEXT) {
    printf("%-18s                      %s\n", "no letters", text);
    return 0;
  }
  for (i = 0; i < count; ++i) mask[i] = 1; /* one text at its own length: nothing is padded */
  status = bind((int32_t)count);
  if (status == ERT_OK) status = ert_bind_output(&context, 0, &output);
  if (status != ERT_OK) return fail("bind", status);
  begin = ert_clock_ns();
  status = ert_run(&context);
  end = ert_clock_ns();
  if (status != ERT_OK) return fail("run", status);
  for (k = 1; k < classes; ++k)
    if (logits[k] > logits[best]) best = k;
  for (k = 0; k < classes; ++k) sum += exp((double)logits[k] - (double)logits[best]);
  label = labels[best];
  english = strchr(label, ' ') ? strchr(label, ' ') + 1 : label;
  snprintf(name, sizeof name, "%.*s (%.*s)", LABEL_BYTES - 1, english, (int)strcspn(label, " ") & 7, label);
  printf("%-18s %5.1f %%  %6.2f ms  %s\n", name, 100 / sum, (double)(end - begin) / 1e6, text);
  return 0;
}

/* Checks that the blob is this model, then takes the arena; afterwards only ert_run is left to do. */
static int prepare(int classes) {
  unsigned char* base = arena_storage + (ERT_ARENA_ALIGN - (uintptr_t)arena_storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  ert_region region = {base, ARENA_BYTES};
  int32_t dims[ERT_MAX_DIMS];
  ert_info info = {.struct_size = sizeof info};
  ert_value_info output = {.struct_size = sizeof output};
  ert_status status = ert_model_info(&model, &info);
  if (status == ERT_OK) status = ert_model_output(&model, 0, &output);
  if (status != ERT_OK) return fail("model", status);
  if (info.inputs != 2 || info.outputs != 1 || output.rank != 2 || output.shape[1] != classes) {
    fprintf(stderr, "langid: the model does not fit the labels file: it needs 2 inputs and 1 output of %d classes\n", classes);
    return 1;
  }
  status = choose_dims(dims, LANGID_MAX_IDS);
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, dims, &region, 1);
  return status == ERT_OK ? 0 : fail("context", status);
}

int main(int argc, char** argv) {
  static char line[MAX_LINE];
  ert_file_map map;
  ert_status status;
  int classes, i, error, failed = 0;

  if (argc < 3) {
    fprintf(stderr,
            "usage: langid BLOB.ert LABELS.txt [--costs | TEXT...]\n"
            "Without a text, each line of the standard input is one.\n");
    return 2;
  }
  error = ert_file_map_open(&map, argv[1]);
  if (error != 0) {
    fprintf(stderr, "langid: %s: %s\n", argv[1], strerror(error));
    return 1;
  }
  classes = read_labels(argv[2]);
  status = ert_model_open(&model, map.data, map.bytes);
  if (classes <= 0) {
    fprintf(stderr, "langid: %s holds no labels\n", argv[2]);
    failed = 1;
  } else if (status != ERT_OK) {
    failed = fail(argv[1], status);
  } else if (argc > 3 && strcmp(argv[3], "--costs") == 0) {
    failed = print_costs(map.bytes);
  } else {
    failed = prepare(classes);
    for (i = 3; i < argc && !failed; ++i) failed = classify(argv[i], classes);
    while (argc == 3 && !failed && fgets(line, sizeof line, stdin) != NULL) {
      line[strcspn(line, "\r\n")] = '\0';
      failed = classify(line, classes);
    }
  }
  ert_file_map_close(&map);
  return failed;
}
