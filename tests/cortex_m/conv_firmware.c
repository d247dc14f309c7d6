/* What firmware of one convolutional model has of the runtime, for its size: check.py reads the map. Linked, and run by nobody. */
#include "rt/include/ert.h"

static const unsigned char blob[ERT_BLOB_ALIGN] __attribute__((aligned(ERT_BLOB_ALIGN)));
static uint64_t arena[64];
static ert_model model;
static ert_context context;
static float values[16];

int main(void) {
  const ert_region region = {arena, sizeof arena};
  ert_tensor tensor = {0};
  tensor.data = values;
  tensor.bytes = sizeof values;
  if (ert_model_open_in(&model, blob, sizeof blob, arena, sizeof arena) != ERT_OK) return 1;
  if (ert_context_init(&context, &model, NULL, NULL, &region, 1) != ERT_OK) return 1;
  if (ert_bind_input(&context, 0, &tensor) != ERT_OK || ert_bind_output(&context, 0, &tensor) != ERT_OK) return 1;
  return ert_run(&context) != ERT_OK;
}
