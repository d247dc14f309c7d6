/* The language of texts on a Cortex-M without an operating system: the blob is a constant array in flash, all memory is static, nothing of a C
 * library is linked. `make run` shows it on an emulated board.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>

#include "ert.h"
#include "ert_text.h"
#include "model.h"
#include "platform/cortex_m/semihosting.h"

enum { MAX_TEXT = 128, MAX_LABELS = 64, WORK_BYTES = 20000 };

static const char* const kTexts[] = {"Where is the station, please?", "Guten Morgen, wie geht es Ihnen?", "Je voudrais un café."};

/* The arena lends its memory to ert_model_open_in, too: nothing is in it yet. */
static uint64_t arena[(MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES) / 8 + 1]
    __attribute__((aligned(ERT_ARENA_ALIGN)));
static uint64_t work[WORK_BYTES / 8];
static ert_model model;
static ert_context context;
static ert_text text;
static ert_scored scored[MAX_LABELS];

static int fail(const char* what, ert_status status) {
  ert_print_error(what);
  ert_print_error(": ");
  ert_print_error(ert_status_str(status));
  ert_print_error("\n");
  return 1;
}

static size_t length_of(const char* s) {
  size_t n = 0;
  while (s[n] != '\0') ++n;
  return n;
}

/* Opens the blob and gives the context its memory; then demands the bits that the converter computed. */
static ert_status prepare(void) {
  ert_region region;
  size_t need = 0;
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  region.base = arena;
  region.bytes = sizeof arena;
  if (status == ERT_OK) status = ert_text_open(&text, &model);
  /* NULL: the dims' maxima, which MODEL_ARENA_BYTES is for. The blob is made with --dim batch=1. */
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, NULL, &region, 1);
  if (status == ERT_OK) status = ert_selftest(&context);
  if (status == ERT_OK) status = ert_text_run_bytes(&text, &context, MAX_TEXT, 0, &need);
  return status == ERT_OK && need > sizeof work ? ERT_ERR_NOMEM : status;
}

static ert_status classify(const char* s) {
  ert_question question = {.struct_size = sizeof question, .text = s, .bytes = length_of(s)};
  ert_answer answer = {.struct_size = sizeof answer, .capacity = MAX_LABELS, .scored = scored};
  const char* label = "";
  size_t bytes = 0;
  ert_status status = ert_text_run(&context, &text, &question, work, sizeof work, &answer);
  if (status == ERT_OK) status = ert_text_label(&text, scored[0].label, &label, &bytes);
  if (status != ERT_OK) return status;
  ert_print_bytes(label, bytes);
  ert_print(": ");
  ert_print(s);
  ert_print("\n");
  return ERT_OK;
}

int main(void) {
  ert_status status = prepare();
  size_t i;
  if (status != ERT_OK) return fail("prepare", status);
  for (i = 0; i < sizeof kTexts / sizeof kTexts[0]; ++i) {
    status = classify(kTexts[i]);
    if (status != ERT_OK) return fail("run", status);
  }
  return 0;
}
