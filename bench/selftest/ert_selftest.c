/* ert-selftest [--isa NAME] BLOB.ert...: replays the golden vectors of blobs on this machine (ert_selftest), on every kernel level that the
 * CPU has or on the one that is named. The results must be the bits that the converter's host computed. Plain C on the public API,
 * linked statically by the cross builds: copy the one file to a board and run it.
 *
 * Exit codes as of ert-bench; 7: other bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/exit_code.h"
#include "platform/posix/file_map.h"
#include "platform/posix/own_stack.h"
#include "rt/include/ert.h"

static ert_status dims_of(const ert_model* model, int32_t* dims, uint32_t* n) {
  ert_info info;
  ert_status status;
  uint32_t i;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  status = ert_model_info(model, &info);
  *n = info.dims;
  for (i = 0; i < info.dims && status == ERT_OK; ++i) {
    ert_dim_info dim;
    memset(&dim, 0, sizeof dim);
    dim.struct_size = sizeof dim;
    status = ert_model_dim(model, i, &dim);
    dims[i] = dim.max;
  }
  return status;
}

/* Golden vectors are smaller than the largest dims: where those need more memory than there is, halved ones do. */
static int halve(int32_t* dims, uint32_t n) {
  uint32_t i;
  int changed = 0;
  for (i = 0; i < n; ++i) {
    if (dims[i] <= 8) continue;
    dims[i] /= 2;
    changed = 1;
  }
  return changed;
}

static ert_status replay_in(void* arena, size_t bytes, const ert_model* model, const ert_config* config, const int32_t* dims) {
  static ert_context context;
  const ert_region region = {arena, bytes};
  const ert_status status = ert_context_init(&context, model, config, dims, &region, 1);
  return status == ERT_OK ? ert_selftest(&context) : status;
}

static ert_status replay(const ert_model* model, const ert_config* config) {
  int32_t dims[ERT_MAX_DIMS];
  uint32_t n = 0;
  ert_status status = dims_of(model, dims, &n);
  if (status != ERT_OK) return status;
  do {
    ert_memory_need need;
    unsigned char* storage = NULL;
    memset(&need, 0, sizeof need);
    need.struct_size = sizeof need;
    status = ert_arena_bytes(model, config, dims, &need);
    if (status == ERT_OK && need.bytes < SIZE_MAX - ERT_ARENA_ALIGN) storage = (unsigned char*)malloc(need.bytes + ERT_ARENA_ALIGN);
    if (status == ERT_OK && storage == NULL) status = ERT_ERR_NOMEM;
    if (status == ERT_OK) {
      unsigned char* arena = storage + (ERT_ARENA_ALIGN - (uintptr_t)storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
      status = replay_in(arena, need.bytes, model, config, dims);
    }
    free(storage);
  } while ((status == ERT_ERR_NOMEM || status == ERT_ERR_LIMIT) && halve(dims, n));
  return status;
}

/* The first failure, or OK. */
static ert_status replay_levels(const char* path, const ert_model* model, uint32_t levels) {
  ert_status failed = ERT_OK;
  int isa;
  for (isa = 0; isa < 32; ++isa) {
    ert_config config;
    ert_status status;
    if ((levels >> isa & 1) == 0) continue;
    memset(&config, 0, sizeof config);
    config.struct_size = sizeof config;
    config.isa_mask = ERT_ISA_BIT(isa);
    status = replay(model, &config);
    printf("%s: %s: %s\n", path, ert_isa_name((ert_isa)isa), status == ERT_OK ? "the same bits" : ert_status_str(status));
    if (failed == ERT_OK) failed = status;
  }
  return failed;
}

static int check(const char* path, uint32_t levels) {
  ert_file_map map;
  ert_model model;
  ert_status status;
  const int error = ert_file_map_open(&map, path);
  if (error != 0) {
    fprintf(stderr, "ert-selftest: %s: %s\n", path, strerror(error));
    return 6;
  }
  status = map.bytes == 0 ? ERT_ERR_TRUNCATED : ert_model_open(&model, map.data, map.bytes);
  if (status != ERT_OK) {
    fprintf(stderr, "ert-selftest: %s: %s\n", path, ert_status_str(status));
  } else {
    status = replay_levels(path, &model, levels);
  }
  ert_file_map_close(&map);
  return ert_exit_code(status);
}

static uint32_t level_of(const char* name) {
  int isa;
  for (isa = 0; isa < 32; ++isa) {
    const char* known = ert_isa_name((ert_isa)isa);
    if (known != NULL && strcmp(known, name) == 0) return ERT_ISA_BIT(isa);
  }
  return 0;
}

static int check_all(int argc, char** argv) {
  uint32_t levels = ert_isa_available();
  int i = 1, failed = 0;
  if (argc > 2 && strcmp(argv[1], "--isa") == 0) {
    levels = level_of(argv[2]);
    i = 3;
  }
  if (levels == 0 || i >= argc || argv[i][0] == '-') {
    fprintf(stderr, levels == 0 ? "ert-selftest: --isa: '%s' is no kernel level\n" : "usage: ert-selftest [--isa NAME] BLOB.ert...\n",
            argc > 2 ? argv[2] : "");
    return 2;
  }
  for (; i < argc; ++i) {
    const int code = check(argv[i], levels);
    if (failed == 0) failed = code;
  }
  return fflush(stdout) == 0 ? failed : 6;
}

int main(int argc, char** argv) {
  int code = 0;
  if (ert_run_on_enough_stack(check_all, argc, argv, &code)) return code;
  fprintf(stderr, "ert-selftest: the stack (ulimit -s) is limited, and there is no memory for another one\n");
  return 5;
}
