/* digest [--isa NAME] [--texts N] TEXTS.tsv BLOB.ert...: as main.c, on a Cortex-M board. The files come from the host, one blob at a
 * time, into the board's large RAM; what is left of it is the arena. Prints "DIGEST ISA TEXTS". */
#include <string.h>

#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"
#include "tests/digest/digest.h"
#include "tests/digest/options.h"

static unsigned char* aligned(unsigned char* p) { return p + (ERT_BLOB_ALIGN - (uintptr_t)p % ERT_BLOB_ALIGN) % ERT_BLOB_ALIGN; }

static int fail(const char* what, const char* why) {
  ert_print_error("digest: ");
  ert_print_error(what);
  ert_print_error(": ");
  ert_print_error(why);
  ert_print_error("\n");
  return 1;
}

/* Reads a file to *at and moves *at behind it. */
static size_t read_file(const char* path, unsigned char** at) {
  const size_t room = (size_t)(__bulk_end - *at), bytes = ert_read_host_file(path, *at, room);
  if (bytes > room) {
    fail(path, bytes == SIZE_MAX ? "cannot be read" : "does not fit the board's memory");
    ert_board_exit(6);
  }
  *at = aligned(*at + bytes);
  return bytes;
}

static int add_blob(const char* path, ert_digest_job job, unsigned char* at, ert_digest_result* result) {
  ert_status status;
  size_t need = 0;
  job.blob = at;
  job.blob_bytes = read_file(path, &at);
  job.arena = at;
  job.arena_bytes = (size_t)(__bulk_end - at);
  status = ert_digest_arena(&job, &need);
  if (status == ERT_OK) status = need > job.arena_bytes ? ERT_ERR_NOMEM : ert_digest_run(&job, result);
  return status == ERT_OK ? 0 : fail(path, ert_status_str(status));
}

int main(int argc, char** argv) {
  static uint64_t work[12 * 1024 / 8];
  ert_digest_job job;
  ert_digest_result result;
  unsigned char* at = aligned(__bulk_start);
  const char* wrong = NULL;
  int failed = 0, i = ert_digest_options(argc, argv, &job, &result, &wrong);
  if (i == 0) return fail("no ISA level and no number of texts", wrong);
  job.work = work;
  job.work_bytes = sizeof work;
  if (argc - i < 2) return fail("usage", "digest [--isa NAME] [--texts N] TEXTS.tsv BLOB.ert...");
  job.texts = (const char*)at;
  job.texts_bytes = read_file(argv[i], &at);
  for (++i; i < argc && failed == 0; ++i) failed = add_blob(argv[i], job, at, &result);
  if (failed != 0) return failed;
  if (result.batch_differences != 0) return fail("batches", "some texts give other bits in a batch");
  ert_print_hex(result.digest, 16);
  ert_print(" ");
  ert_print(ert_isa_name(result.isa));
  ert_print(" ");
  ert_print_unsigned(result.texts);
  ert_print("\n");
  return 0;
}
