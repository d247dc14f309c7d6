/* Text in, answer out on a Cortex-M: reads lines and says what the model in flash makes of each, by ert_text_run. The tokenizer, the task and its
 * labels are in the blob; all memory is static, and nothing of a C library is linked.
 *
 *   answer FILE     each line of the host's FILE, as a terminal or a radio would bring it on a board without debugger
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model.h"
#include "platform/cortex_m/semihosting.h"
#include "rt/include/ert.h"
#include "rt/include/ert_text.h"

enum { MAX_LINE = 256, MAX_LABELS = 64, MAX_INPUT = 4096 };

/* The arena also serves as working memory while the model is opened (ert_model_open_in). */
static uint64_t arena[(MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES) / 8 + 8];
static uint64_t work[40000 / 8];
static char input[MAX_INPUT];
static ert_model model;
static ert_context context;
static ert_text tables;
static ert_scored scored[MAX_LABELS];

static int fail(const char* what, ert_status status) {
  ert_print_error(what);
  ert_print_error(": ");
  ert_print_error(ert_status_str(status));
  ert_print_error("\n");
  return 1;
}

static ert_status prepare(void) {
  unsigned char* base = (unsigned char*)arena;
  ert_region region;
  int32_t dims[ERT_MAX_DIMS];
  ert_dim_info dim;
  ert_text_task_info task;
  size_t need = 0;
  uint32_t i;
  ert_status status = ert_text_open(&tables, &model);
  memset(&dim, 0, sizeof dim);
  memset(&task, 0, sizeof task);
  dim.struct_size = sizeof dim;
  task.struct_size = sizeof task;
  if (status == ERT_OK) status = ert_text_task_of(&tables, &model, &task);
  if (status != ERT_OK) return status;
  if (task.task != ERT_TEXT_CLASSIFY || task.labels > MAX_LABELS) return ERT_ERR_UNSUPPORTED;
  for (i = 0; i < ERT_MAX_DIMS && ert_model_dim(&model, i, &dim) == ERT_OK; ++i) dims[i] = dim.name[0] == 'b' ? 1 : dim.max;
  region.base = base + (ERT_ARENA_ALIGN - (uintptr_t)base % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  region.bytes = MODEL_ARENA_BYTES;
  status = ert_context_init(&context, &model, NULL, dims, &region, 1);
  if (status == ERT_OK) status = ert_text_run_bytes(&tables, &context, MAX_LINE, 0, &need);
  return status == ERT_OK && need > sizeof work ? ERT_ERR_NOMEM : status;
}

static ert_status answer_line(const char* line, size_t bytes) {
  ert_question question;
  ert_answer answer;
  ert_status status;
  const char* label = "";
  size_t label_bytes = 0;
  memset(&question, 0, sizeof question);
  memset(&answer, 0, sizeof answer);
  question.struct_size = sizeof question;
  question.text = line;
  question.bytes = bytes < MAX_LINE ? bytes : MAX_LINE;
  answer.struct_size = sizeof answer;
  answer.capacity = MAX_LABELS;
  answer.scored = scored;
  status = ert_text_run(&context, &tables, &question, work, sizeof work, &answer);
  if (status == ERT_OK) status = ert_text_label(&tables, scored[0].label, &label, &label_bytes);
  if (status != ERT_OK) return status;
  ert_print_bytes(label, label_bytes);
  ert_print(", ");
  ert_print_unsigned((uint64_t)(scored[0].score * 1000 + 0.5f));
  ert_print(" of 1000: ");
  ert_print_bytes(line, question.bytes);
  if (question.bytes < bytes || answer.truncated) ert_print(" (cut)");
  ert_print("\n");
  return ERT_OK;
}

int main(int argc, char** argv) {
  size_t bytes, begin, end;
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  if (status != ERT_OK) return fail("open", status);
  status = prepare();
  if (status != ERT_OK) return fail("prepare", status);
  bytes = argc == 2 ? ert_read_host_file(argv[1], input, sizeof input) : SIZE_MAX;
  if (bytes > sizeof input) {
    ert_print_error("usage: answer FILE, with up to 4096 bytes\n");
    return 2;
  }
  for (begin = 0; begin < bytes; begin = end + 1) {
    for (end = begin; end < bytes && input[end] != '\n';) ++end;
    status = answer_line(input + begin, end - begin);
    if (status != ERT_OK) return fail("run", status);
  }
  return 0;
}
