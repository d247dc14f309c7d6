/* minimal: runs any blob on inputs of ones and prints the first values of each output. What a first program needs and no more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ert.h"

enum { MAX_OUTPUTS = 16 };

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "minimal: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* A whole file in memory that is aligned as a blob must be. */
static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  long size;
  void* data = NULL;
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  if (size > 0) data = aligned_alloc(ERT_BLOB_ALIGN, ((size_t)size + ERT_BLOB_ALIGN - 1) / ERT_BLOB_ALIGN * ERT_BLOB_ALIGN);
  if (data != NULL && fread(data, 1, (size_t)size, file) != (size_t)size) {
    free(data);
    data = NULL;
  }
  fclose(file);
  *bytes = (size_t)size;
  return data;
}

static size_t element_bytes(uint32_t dtype) {
  if (dtype == ERT_I64) return 8;
  if (dtype == ERT_F32 || dtype == ERT_I32) return 4;
  return dtype == ERT_I16 ? 2 : 1;
}

/* Every dim is at its smallest size, every element is one. */
static ert_status bind_ones(ert_context* context, const ert_model* model, uint32_t i, const int32_t* dims) {
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
  t.data = calloc(1, t.bytes);
  if (t.data == NULL) return ERT_ERR_NOMEM;
  for (k = 0; k < elements; ++k) {
    unsigned char* element = (unsigned char*)t.data + k * element_bytes(t.dtype);
    const float one = 1.0f;
    if (t.dtype == ERT_F32)
      memcpy(element, &one, sizeof one);
    else
      element[0] = 1; /* little-endian, as every CPU that ert runs on */
  }
  return ert_bind_input(context, i, &t);
}

int main(int argc, char** argv) {
  size_t bytes = 0;
  void* blob = argc == 2 ? read_file(argv[1], &bytes) : NULL;
  ert_model model;
  ert_context context;
  ert_info info;
  ert_memory_need need;
  ert_region arena;
  ert_status status;
  ert_tensor outputs[MAX_OUTPUTS];
  int32_t dims[ERT_MAX_DIMS];
  uint32_t i;

  if (blob == NULL) {
    fprintf(stderr, argc == 2 ? "minimal: cannot read %s\n" : "usage: minimal BLOB.ert\n", argc == 2 ? argv[1] : "");
    return 2;
  }
  status = ert_model_open(&model, blob, bytes);
  if (status != ERT_OK) return fail(argv[1], status);
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  status = ert_model_info(&model, &info);
  for (i = 0; status == ERT_OK && i < info.dims; ++i) {
    ert_dim_info dim;
    memset(&dim, 0, sizeof dim);
    dim.struct_size = sizeof dim;
    status = ert_model_dim(&model, i, &dim);
    dims[i] = dim.min;
  }
  memset(&need, 0, sizeof need);
  need.struct_size = sizeof need;
  if (status == ERT_OK) status = ert_arena_bytes(&model, NULL, dims, &need);
  if (status != ERT_OK) return fail("memory", status);
  arena.bytes = need.bytes;
  arena.base = aligned_alloc(ERT_ARENA_ALIGN, (need.bytes + ERT_ARENA_ALIGN - 1) / ERT_ARENA_ALIGN * ERT_ARENA_ALIGN);
  status = ert_context_init(&context, &model, NULL, dims, &arena, 1);
  for (i = 0; status == ERT_OK && i < info.inputs; ++i) status = bind_ones(&context, &model, i, dims);
  if (status != ERT_OK) return fail("context", status);
  for (i = 0; i < info.outputs && i < MAX_OUTPUTS; ++i) {
    memset(&outputs[i], 0, sizeof outputs[i]);
    outputs[i].struct_size = sizeof outputs[i];
    status = ert_output_shape(&context, i, &outputs[i]);
    outputs[i].data = calloc(1, outputs[i].bytes);
    if (status == ERT_OK) status = ert_bind_output(&context, i, &outputs[i]);
    if (status != ERT_OK) return fail("output", status);
  }
  status = ert_run(&context);
  if (status != ERT_OK) return fail("run", status);
  for (i = 0; i < info.outputs && i < MAX_OUTPUTS; ++i) {
    const float* values = (const float*)outputs[i].data;
    if (outputs[i].dtype == ERT_F32) printf("output %" PRIu32 ": %zu bytes, first value %.9g\n", i, outputs[i].bytes, values[0]);
  }
  return 0;
}
