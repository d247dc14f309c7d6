/* digest_minimal TEXTS.tsv BLOB: as main.c, but linked with platform/minimal instead of platform/posix, as bare metal without a port would
 * be: no clock, no threads, no mapped files. All memory of the runtime is static; only this file knows of a C library, to read and print. */
#include <stdio.h>

#include "platform/platform.h"
#include "tests/digest/digest.h"
#include "tests/digest/options.h"

static _Alignas(64) unsigned char blob[2u << 20];
static _Alignas(64) unsigned char arena[8u << 20];
static char texts[1u << 20];
static uint64_t work[12 * 1024 / 8];

/* 0 if the file cannot be read or does not fit. */
static size_t read_file(const char* path, void* to, size_t room) {
  FILE* file = fopen(path, "rb");
  size_t bytes = file == NULL ? 0 : fread(to, 1, room, file);
  if (file != NULL) fclose(file);
  if (bytes == 0 || bytes == room) fprintf(stderr, "digest_minimal: %s: cannot be read, or has %lu bytes or more\n", path, (unsigned long)room);
  return bytes == room ? 0 : bytes;
}

int main(int argc, char** argv) {
  ert_digest_job job;
  ert_digest_result result;
  const char* wrong = NULL;
  ert_status status;
  const int i = ert_digest_options(argc, argv, &job, &result, &wrong);
  if (i == 0 || argc - i != 2) {
    fprintf(stderr, "usage: digest_minimal [--isa NAME] [--texts N] TEXTS.tsv BLOB\n");
    return 2;
  }
  if (ert_clock_ns() != ERT_CLOCK_ABSENT) {
    fprintf(stderr, "digest_minimal: it has a clock, so it is not linked with platform/minimal\n");
    return 1;
  }
  job.work = work;
  job.work_bytes = sizeof work;
  job.texts = texts;
  job.texts_bytes = read_file(argv[i], texts, sizeof texts);
  job.blob = blob;
  job.blob_bytes = read_file(argv[i + 1], blob, sizeof blob);
  job.arena = arena;
  if (job.texts_bytes == 0 || job.blob_bytes == 0) return 6;
  status = ert_digest_arena(&job, &job.arena_bytes);
  if (status == ERT_OK) status = job.arena_bytes > sizeof arena ? ERT_ERR_NOMEM : ert_digest_run(&job, &result);
  if (status != ERT_OK || result.batch_differences != 0) {
    fprintf(stderr, "digest_minimal: %s, %u texts differ in a batch\n", ert_status_str(status), (unsigned)result.batch_differences);
    return 1;
  }
  printf("%016llx %s %u\n", (unsigned long long)result.digest, ert_isa_name(result.isa), (unsigned)result.texts);
  return 0;
}
