/* time_runs BLOB RUNS DIM..: microseconds of one run in the middle of RUNS, on inputs of ones; DIM: a value of each of the model's dims, in their order.
 * One thread, the best level of this CPU. For run.sh, which links it to the runtime built in two ways.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ert.h"

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "time_runs: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* Memory that is aligned for blobs and arenas; null where there is none. */
static void* aligned(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64); }

static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  void* data;
  long size;
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  *bytes = size > 0 ? (size_t)size : 0;
  data = aligned(*bytes);
  if (data != NULL && fread(data, 1, *bytes, file) != *bytes) data = NULL;
  fclose(file);
  return data;
}

static size_t element_bytes(uint32_t dtype) {
  if (dtype == ERT_I64) return 8;
  if (dtype == ERT_F32 || dtype == ERT_I32) return 4;
  return dtype == ERT_I16 ? 2 : 1;
}

static ert_status bind_ones(ert_context* context, const ert_model* model, uint32_t i, const int32_t* dims) {
  const float one = 1.0f;
  ert_value_info info;
  ert_tensor t;
  size_t elements = 1, k;
  uint32_t axis;
  ert_status status;
  memset(&info, 0, sizeof info);
  memset(&t, 0, sizeof t);
  info.struct_size = sizeof info;
  t.struct_size = sizeof t;
  status = ert_model_input(model, i, &info);
  if (status != ERT_OK) return status;
  t.dtype = info.dtype;
  t.rank = info.rank;
  for (axis = 0; axis < info.rank; ++axis) {
    t.shape[axis] = info.dim[axis] >= 0 ? dims[info.dim[axis]] : info.shape[axis];
    elements *= (size_t)t.shape[axis];
  }
  t.bytes = elements * element_bytes(t.dtype);
  t.data = aligned(t.bytes);
  if (t.data == NULL) return ERT_ERR_NOMEM;
  memset(t.data, 0, t.bytes);
  for (k = 0; k < elements; ++k) {
    unsigned char* element = (unsigned char*)t.data + k * element_bytes(t.dtype);
    if (t.dtype == ERT_F32)
      memcpy(element, &one, sizeof one);
    else
      element[0] = 1; /* little-endian */
  }
  return ert_bind_input(context, i, &t);
}

static ert_status bind_output(ert_context* context, uint32_t i) {
  ert_tensor t;
  ert_status status;
  memset(&t, 0, sizeof t);
  t.struct_size = sizeof t;
  status = ert_output_shape(context, i, &t);
  if (status != ERT_OK) return status;
  t.data = aligned(t.bytes);
  return t.data == NULL ? ERT_ERR_NOMEM : ert_bind_output(context, i, &t);
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  size_t bytes = 0;
  const int runs = argc > 2 ? atoi(argv[2]) : 0;
  void* blob = runs > 0 ? read_file(argv[1], &bytes) : NULL;
  double* times = runs > 0 ? (double*)malloc((size_t)runs * sizeof *times) : NULL;
  int32_t dims[ERT_MAX_DIMS];
  ert_model model;
  ert_context context;
  ert_info info;
  ert_memory_need need;
  ert_region arena;
  ert_status status;
  uint32_t i;
  int k;

  if (blob == NULL || times == NULL) {
    fprintf(stderr, "usage: time_runs BLOB.ert RUNS DIM..\n");
    return 2;
  }
  status = ert_model_open(&model, blob, bytes);
  if (status != ERT_OK) return fail(argv[1], status);
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  status = ert_model_info(&model, &info);
  if (status != ERT_OK) return fail(argv[1], status);
  if ((uint32_t)argc != 3 + info.dims) {
    fprintf(stderr, "time_runs: the model has %u dims, and %d are given\n", (unsigned)info.dims, argc - 3);
    return 2;
  }
  for (i = 0; i < info.dims; ++i) dims[i] = atoi(argv[3 + i]);
  memset(&need, 0, sizeof need);
  need.struct_size = sizeof need;
  status = ert_arena_bytes(&model, NULL, dims, &need);
  if (status != ERT_OK) return fail("memory", status);
  arena.bytes = need.bytes;
  arena.base = aligned(need.bytes);
  status = ert_context_init(&context, &model, NULL, dims, &arena, 1);
  for (i = 0; status == ERT_OK && i < info.inputs; ++i) status = bind_ones(&context, &model, i, dims);
  for (i = 0; status == ERT_OK && i < info.outputs; ++i) status = bind_output(&context, i);
  for (k = -runs / 10 - 1; status == ERT_OK && k < runs; ++k) {
    const double begin = now_us();
    status = ert_run(&context);
    if (k >= 0) times[k] = now_us() - begin;
  }
  if (status != ERT_OK) return fail("run", status);
  qsort(times, (size_t)runs, sizeof *times, by_value);
  printf("%.2f\n", times[runs / 2]);
  return 0;
}
