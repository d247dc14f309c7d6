/* Steps 5 to 9 of the porting guide: prints the kernel level, whether there is a clock, and what the golden vectors say. */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "platform/platform.h"
#include "rt/include/ert.h"

static unsigned char arena[MODEL_ARENA_BYTES > MODEL_WORK_BYTES ? MODEL_ARENA_BYTES : MODEL_WORK_BYTES] __attribute__((aligned(64)));
static ert_model model;
static ert_context context;

int main(void) {
  const ert_region region = {arena, MODEL_ARENA_BYTES};
  int32_t dims[ERT_MAX_DIMS];
  ert_dim_info dim;
  ert_isa isa = ERT_ISA_REF;
  uint32_t i;
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  memset(&dim, 0, sizeof dim);
  dim.struct_size = sizeof dim;
  for (i = 0; i < ERT_MAX_DIMS && ert_model_dim(&model, i, &dim) == ERT_OK; ++i) dims[i] = dim.max;
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, dims, &region, 1);
  if (status == ERT_OK) status = ert_context_isa(&context, &isa);
  if (status == ERT_OK) status = ert_selftest(&context);
  printf("%s, %s, %s\n", ert_isa_name(isa), ert_clock_ns() == ERT_CLOCK_ABSENT ? "no clock" : "a clock", ert_status_str(status));
  return status == ERT_OK ? 0 : 1;
}
