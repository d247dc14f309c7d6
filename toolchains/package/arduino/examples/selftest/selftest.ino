// Opens a model and replays its golden vectors: the bits that the converter computed, or an error. Put beside this sketch what
//   edgeconv model.onnx --target cortex-m --dim batch=1 -o model.ert        (without --target on cores that are no Cortex-M)
//   edgeconv export model.ert --format c -o model.c --header model.h
// wrote.
//
// SPDX-License-Identifier: Apache-2.0
#include <ert.h>

#include "model.h"

// The arena lends its memory to ert_model_open_in, too: nothing is in it yet.
alignas(ERT_ARENA_ALIGN) static uint8_t arena[MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES];
static ert_model model;
static ert_context context;

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  ert_region region = {arena, sizeof arena};
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  if (status == ERT_OK) status = ert_context_init(&context, &model, nullptr, nullptr, &region, 1);
  if (status == ERT_OK) status = ert_selftest(&context);
  Serial.println(ert_status_str(status));
}

void loop() {}
