/* The language model as firmware: the blob is a constant array read in place from flash, all memory is static, and nothing of a C library
 * is linked. Prints what language each text is in, what it cost, and how deep the stack was.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Costs are cycles on a core whose cycle counter runs. Elsewhere the core's clock gives the time; under an emulator that counts an
 * instruction as a nanosecond (toolchains/run_cortex_m.sh --icount) it is the number of instructions, to a clock tick (31 to 50 of them), and
 * repeats from run to run.
 */
#include <string.h>

#include "model.h"
#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"
#include "platform/platform.h"
#include "rt/text/ngram.h"
#include "rt/include/ert.h"

static const char* const kLanguages[] = {
#include "labels.inc"
};
enum { CLASSES = sizeof kLanguages / sizeof kLanguages[0] };

static const char* const kTexts[] = {
    "Where is the station, please?",
    "Am Montag kommt der Bus zwei Stunden zu spät.",
    "Je voudrais un café et un morceau de pain.",
    "Сегодня вечером мы идём в кино.",
    "Η βιβλιοθήκη ανοίγει στις εννέα.",
    "駅はどこですか。",
    "أين المحطة من فضلك؟",
    "12:30 +49 (0)",
};

/* The arena also serves as working memory while the model is opened (ert_model_open_in). */
static uint64_t arena[(MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES) / 8 + 8];
static ert_model model;
static ert_context context;
static int32_t ids[LANGID_MAX_IDS], mask[LANGID_MAX_IDS];
static float logits[CLASSES];

/* What a call took: cycles on a real core, instructions (nanoseconds of the core's clock) in the emulator, and stack below its caller. */
typedef struct cost {
  uint64_t time;
  size_t stack;
} cost;
static uint64_t began;

static uint64_t now(void) { return ert_board_counts_cycles() ? ert_board_cycles() : ert_clock_ns(); }

static void begin(void) {
  ert_board_paint_stack();
  began = now();
}

static cost end(void) {
  cost c;
  c.time = now() - began;
  c.stack = ert_board_stack_used() - ert_board_stack_now();
  return c;
}

static void print_cost(const char* what, cost c) {
  ert_print(what);
  ert_print_unsigned(c.time);
  ert_print(ert_board_counts_cycles() ? " cycles, stack " : " instructions, stack ");
  ert_print_unsigned(c.stack);
  ert_print("\n");
}

static int fail(const char* what, ert_status status) {
  ert_print_error(what);
  ert_print_error(": ");
  ert_print_error(ert_status_str(status));
  ert_print_error("\n");
  return 1;
}

static ert_status largest_dims(int32_t* dims) {
  ert_dim_info dim;
  uint32_t i;
  memset(&dim, 0, sizeof dim);
  dim.struct_size = sizeof dim;
  for (i = 0; i < ERT_MAX_DIMS && ert_model_dim(&model, i, &dim) == ERT_OK; ++i) dims[i] = dim.name[0] == 'b' ? 1 : dim.max;
  return ERT_OK;
}

static ert_status prepare(void) {
  unsigned char* base = (unsigned char*)arena;
  ert_region region;
  int32_t dims[ERT_MAX_DIMS];
  region.base = base + (ERT_ARENA_ALIGN - (uintptr_t)base % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  region.bytes = MODEL_ARENA_BYTES;
  largest_dims(dims);
  return ert_context_init(&context, &model, NULL, dims, &region, 1);
}

static ert_tensor row_of(void* data, uint32_t dtype, uint32_t length) {
  ert_tensor t;
  memset(&t, 0, sizeof t);
  t.struct_size = sizeof t;
  t.dtype = dtype;
  t.rank = 2;
  t.shape[0] = 1;
  t.shape[1] = (int32_t)length;
  t.data = data;
  t.bytes = length * 4;
  return t;
}

/* Inputs are found by name: their order in the blob is the converter's business. */
static ert_status bind(uint32_t length) {
  ert_tensor t = row_of(logits, ERT_F32, CLASSES);
  ert_status status = ert_bind_output(&context, 0, &t);
  uint32_t i;
  for (i = 0; i < 2 && status == ERT_OK; ++i) {
    ert_value_info value;
    memset(&value, 0, sizeof value);
    value.struct_size = sizeof value;
    status = ert_model_input(&model, i, &value);
    t = row_of(strcmp(value.name, "input_ids") == 0 ? ids : mask, ERT_I32, length);
    if (status == ERT_OK) status = ert_bind_input(&context, i, &t);
  }
  return status;
}

static ert_status classify(const char* text, cost* c) {
  static const ert_ngram_form form = ERT_NGRAM_FORM_OF_LANGID;
  const uint32_t count = ert_ngram_ids(&form, text, strlen(text), ids, LANGID_MAX_IDS);
  ert_status status;
  uint32_t i;
  int best = 0;
  for (i = 0; i < count; ++i) mask[i] = 1;
  status = bind(count);
  if (status != ERT_OK) return status;
  begin();
  status = ert_run(&context);
  *c = end();
  for (i = 1; i < CLASSES; ++i)
    if (logits[i] > logits[best]) best = (int)i;
  ert_print_unsigned(count);
  ert_print(" ids, ");
  ert_print(ids[0] == LANGID_NO_TEXT ? "no letters" : kLanguages[best]);
  ert_print(": ");
  ert_print(text);
  print_cost("\n  ", *c);
  return status;
}

int main(void) {
  ert_status status;
  cost c;
  size_t i;
  begin();
  status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  c = end();
  if (status != ERT_OK) return fail("open", status);
  print_cost("open: ", c);
  begin();
  status = prepare();
  c = end();
  if (status != ERT_OK) return fail("init", status);
  print_cost("init: ", c);
  begin();
  status = ert_selftest(&context);
  c = end();
  if (status != ERT_OK) return fail("self test", status);
  print_cost("self test: ", c);
  for (i = 0; i < sizeof kTexts / sizeof kTexts[0]; ++i) {
    status = classify(kTexts[i], &c);
    if (status != ERT_OK) return fail("run", status);
  }
  return 0;
}
