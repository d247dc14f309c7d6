/* digest [--isa NAME] [--texts N] TEXTS.tsv BLOB.ert...: the digest of what the blobs compute, on systems with files. Prints "DIGEST ISA
 * TEXTS". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/posix/file_map.h"
#include "tests/digest/digest.h"
#include "tests/digest/options.h"

static int add_blob(const char* path, ert_digest_job job, ert_digest_result* result) {
  ert_file_map map;
  ert_status status;
  const int error = ert_file_map_open(&map, path);
  if (error != 0) {
    fprintf(stderr, "digest: %s: %s\n", path, strerror(error));
    return 6;
  }
  job.blob = map.data;
  job.blob_bytes = map.bytes;
  status = ert_digest_arena(&job, &job.arena_bytes);
  if (status == ERT_OK) {
    unsigned char* storage = (unsigned char*)malloc(job.arena_bytes + ERT_ARENA_ALIGN);
    if (storage != NULL) job.arena = storage + (ERT_ARENA_ALIGN - (uintptr_t)storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
    status = storage == NULL ? ERT_ERR_NOMEM : ert_digest_run(&job, result);
    free(storage);
  }
  ert_file_map_close(&map);
  if (status == ERT_OK) return 0;
  fprintf(stderr, "digest: %s: %s\n", path, ert_status_str(status));
  return 1;
}

int main(int argc, char** argv) {
  ert_digest_job job;
  ert_digest_result result;
  ert_file_map texts;
  const char* wrong = NULL;
  int failed = 0, i = ert_digest_options(argc, argv, &job, &result, &wrong);
  if (i == 0) {
    fprintf(stderr, "digest: '%s' is no ISA level and no number of texts\n", wrong);
    return 2;
  }
  if (argc - i < 2) {
    fprintf(stderr, "usage: digest [--isa NAME] [--texts N] TEXTS.tsv BLOB.ert...\n");
    return 2;
  }
  if (ert_file_map_open(&texts, argv[i]) != 0) {
    fprintf(stderr, "digest: cannot read %s\n", argv[i]);
    return 6;
  }
  job.texts = (const char*)texts.data;
  job.texts_bytes = texts.bytes;
  for (++i; i < argc && failed == 0; ++i) failed = add_blob(argv[i], job, &result);
  ert_file_map_close(&texts);
  if (failed != 0) return failed;
  if (result.batch_differences != 0) {
    fprintf(stderr, "digest: %u texts give other bits in a batch\n", (unsigned)result.batch_differences);
    return 7;
  }
  printf("%016llx %s %u\n", (unsigned long long)result.digest, ert_isa_name(result.isa), (unsigned)result.texts);
  return 0;
}
