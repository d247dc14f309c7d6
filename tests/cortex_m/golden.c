/* golden BLOB.ert...: replays the golden vectors of each blob on the board (ert_selftest): the device must give the bits of the host that
 * converted it. Says how much stack that took below main, paint written over from opening to the last op. */
#include <string.h>

#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"
#include "rt/include/ert.h"

static ert_model model;
static ert_context context;

static unsigned char* aligned(unsigned char* p) { return p + (ERT_BLOB_ALIGN - (uintptr_t)p % ERT_BLOB_ALIGN) % ERT_BLOB_ALIGN; }

/* Why the golden vectors did not run, if it was not their bits. */
static void print_fault(void) {
  ert_error_detail why;
  memset(&why, 0, sizeof why);
  why.struct_size = sizeof why;
  if (ert_last_error(&context, &why) != ERT_OK || why.fault == ERT_FAULT_NONE) return;
  ert_print("fault ");
  ert_print_unsigned(why.fault);
  ert_print(" (ert_fault) in ");
}

/* Nobody's key: blobs of this test are not signed, so it is not asked. */
static int refuse(void* key, const uint8_t* signature, const void* message, size_t bytes, size_t zeros) {
  (void)key, (void)signature, (void)message, (void)bytes, (void)zeros;
  return 1;
}

/* Dims as small as the plan allows still hold the golden vectors, which are made at small dims: the arena is halved until it fits. */
static ert_status replay(const unsigned char* blob, size_t bytes, unsigned char* arena, size_t room) {
  static uint64_t work[12 * 1024 / 8];
  int32_t dims[ERT_MAX_DIMS];
  ert_region region;
  ert_info info;
  /* Without lent memory it would have to be on the stack: on these cores ert_model_open refuses every blob. */
  ert_status status = ert_model_open(&model, blob, bytes) == ERT_ERR_NOMEM ? ERT_OK : ERT_ERR_STATE;
  uint32_t i;
  if (ert_model_open_signed(&model, blob, bytes, refuse, NULL) != ERT_ERR_SIGNATURE ||
      ert_model_open_signed_in(&model, blob, bytes, work, sizeof work, refuse, NULL) != ERT_ERR_SIGNATURE) {
    status = ERT_ERR_STATE;
  }
  if (status == ERT_OK) status = ert_model_open_in(&model, blob, bytes, work, sizeof work);
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  if (status == ERT_OK) status = ert_model_info(&model, &info);
  for (i = 0; i < info.dims && status == ERT_OK; ++i) {
    ert_dim_info dim;
    memset(&dim, 0, sizeof dim);
    dim.struct_size = sizeof dim;
    status = ert_model_dim(&model, i, &dim);
    dims[i] = dim.max;
  }
  region.base = arena;
  region.bytes = room;
  while (status == ERT_OK) {
    status = ert_context_init(&context, &model, NULL, dims, &region, 1);
    if (status != ERT_ERR_NOMEM) break;
    for (i = 0; i < info.dims; ++i) {
      if (dims[i] <= 8) continue;
      dims[i] /= 2;
      status = ERT_OK; /* worth another try */
    }
  }
  if (status == ERT_OK) {
    status = ert_selftest(&context);
    if (status != ERT_OK) print_fault();
  }
  return status;
}

int main(int argc, char** argv) {
  int i, failed = 0;
  for (i = 1; i < argc; ++i) {
    unsigned char* blob = aligned(__bulk_start);
    const size_t room = (size_t)(__bulk_end - blob), bytes = ert_read_host_file(argv[i], blob, room);
    ert_status status = ERT_ERR_NOMEM;
    size_t stack = 0;
    if (bytes <= room) {
      unsigned char* arena = aligned(blob + bytes);
      ert_board_paint_stack();
      status = replay(blob, bytes, arena, (size_t)(__bulk_end - arena));
      stack = ert_board_stack_used() - ert_board_stack_now();
    }
    failed += status != ERT_OK;
    ert_print(argv[i]);
    ert_print(": ");
    ert_print(bytes == SIZE_MAX ? "cannot be read" : ert_status_str(status));
    ert_print(", stack ");
    ert_print_unsigned(stack);
    ert_print("\n");
  }
  return failed != 0;
}
