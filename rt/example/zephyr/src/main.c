/* The language of texts under Zephyr: the blob stays in flash, all memory is static, and the kernel is asked for nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "ert.h"
#include "ert_text.h"
#include "model.h"

enum { MAX_TEXT = 128, MAX_LABELS = 64, WORK_BYTES = 20000 };

static const char* const kTexts[] = {"Where is the station, please?", "Guten Morgen, wie geht es Ihnen?",
                                     "Je voudrais acheter un journal."};

/* The arena lends its memory to ert_model_open_in, too: nothing is in it yet. */
static uint8_t arena[MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES] __aligned(ERT_ARENA_ALIGN);
static uint64_t work[WORK_BYTES / 8];
static ert_model model;
static ert_context context;
static ert_text text;
static ert_scored scored[MAX_LABELS];

static ert_status prepare(void) {
  ert_region region = {arena, sizeof arena};
  size_t need = 0;
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  if (status == ERT_OK) status = ert_text_open(&text, &model);
  /* NULL: the dims' maxima, which MODEL_ARENA_BYTES is for. The blob is made with --dim batch=1. */
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, NULL, &region, 1);
  if (status == ERT_OK) status = ert_selftest(&context); /* the bits that the converter computed */
  if (status == ERT_OK) status = ert_text_run_bytes(&text, &context, MAX_TEXT, 0, &need);
  return status == ERT_OK && need > sizeof work ? ERT_ERR_NOMEM : status;
}

static ert_status classify(const char* s) {
  ert_question question = {.struct_size = sizeof question, .text = s, .bytes = strlen(s)};
  ert_answer answer = {.struct_size = sizeof answer, .capacity = MAX_LABELS, .scored = scored};
  const char* label = "";
  size_t bytes = 0;
  ert_status status = ert_text_run(&context, &text, &question, work, sizeof work, &answer);
  if (status == ERT_OK) status = ert_text_label(&text, scored[0].label, &label, &bytes);
  if (status == ERT_OK) printk("%.*s: %s\n", (int)bytes, label, s);
  return status;
}

int main(void) {
  ert_status status = prepare();
  size_t i;
  for (i = 0; i < ARRAY_SIZE(kTexts) && status == ERT_OK; ++i) status = classify(kTexts[i]);
  if (status != ERT_OK) printk("langid: %s\n", ert_status_str(status));
  return 0;
}
