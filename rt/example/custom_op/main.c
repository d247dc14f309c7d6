/* An application with its own kernel: registers my.ops::Inverse2 and runs a model that calls it.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   edgeconv custom_op_no_body.onnx --custom-op my.ops::Inverse2 -o model.ert
 *   custom_op model.ert < inputs          rows of 16 numbers in, rows of 8 numbers out
 *
 * The converter passes the operator through with its name, attributes and shapes; what it computes is up to this file:
 * here y = 1 / (2 x), and 0 where x is 0. */
#include <stdio.h>
#include <string.h>

#include "platform/posix/file_map.h"
#include "ert.h"

enum { MAX_ROWS = 8, MAX_COLUMNS = 64, ARENA_BYTES = 1 << 18 };

static ert_model model;
static ert_context context;
static float input[MAX_ROWS * MAX_COLUMNS], output[MAX_ROWS * MAX_COLUMNS];
static unsigned char arena_storage[ARENA_BYTES + ERT_ARENA_ALIGN];

/* One call for each node of the model. Types and shapes are the model's: a kernel checks what it relies on. */
static int inverse2(void* user, const ert_custom_attribute* attrs, uint32_t attr_count, const ert_tensor* inputs,
                    uint32_t input_count, ert_tensor* outputs, uint32_t output_count, void* scratch) {
  const float* x;
  float* y;
  size_t i, n;
  (void)user, (void)attrs, (void)attr_count, (void)scratch;
  if (input_count != 1 || output_count != 1) return 1;
  if (inputs[0].dtype != ERT_F32 || outputs[0].dtype != ERT_F32 || inputs[0].bytes != outputs[0].bytes) return 1;
  x = (const float*)inputs[0].data;
  y = (float*)outputs[0].data;
  n = inputs[0].bytes / sizeof(float);
  for (i = 0; i < n; ++i) y[i] = x[i] == 0.0f ? 0.0f : 1.0f / (2.0f * x[i]);
  return 0;
}

static int fail(const char* what, ert_status status) {
  fprintf(stderr, "custom_op: %s: %s\n", what, ert_status_str(status));
  return 1;
}

/* What a context for the blob's largest dims needs, where the memory of this example is too small for it. */
static int fail_for_memory(const ert_config* config) {
  ert_memory_need need = {.struct_size = sizeof need};
  const ert_status status = ert_arena_bytes(&model, config, NULL, &need);
  if (status != ERT_OK) return fail("arena", status);
  fprintf(stderr,
          "custom_op: the blob needs %zu bytes of memory at its largest dims, this example has %d; convert the model with a "
          "smaller maximum (--dim NAME=MAX) or raise ARENA_BYTES\n",
          need.bytes, ARENA_BYTES);
  return 1;
}

/* The width of an input or output of shape [batch, width], or 0. */
static int columns_of(const ert_value_info* v) { return v->rank == 2 && v->shape[1] <= MAX_COLUMNS ? (int)v->shape[1] : 0; }

static ert_tensor tensor_of(float* data, int rows, int columns) {
  ert_tensor t = {.struct_size = sizeof t, .dtype = ERT_F32, .rank = 2, .data = data};
  t.shape[0] = rows;
  t.shape[1] = columns;
  t.bytes = (size_t)rows * (size_t)columns * sizeof(float);
  return t;
}

static ert_status run_rows(int rows, int in_columns, int out_columns) {
  ert_tensor x = tensor_of(input, rows, in_columns), y = tensor_of(output, rows, out_columns);
  ert_status status = ert_bind_input(&context, 0, &x);
  if (status == ERT_OK) status = ert_bind_output(&context, 0, &y);
  if (status == ERT_OK) status = ert_run(&context);
  return status;
}

static int run_stdin(int in_columns, int out_columns) {
  int count = 0, rows, i;
  ert_status status;
  while (count < MAX_ROWS * in_columns && scanf("%f", &input[count]) == 1) ++count;
  rows = count / in_columns;
  if (rows == 0 || count % in_columns != 0) {
    fprintf(stderr, "custom_op: give rows of %d numbers on the standard input, at most %d rows\n", in_columns, MAX_ROWS);
    return 2;
  }
  status = run_rows(rows, in_columns, out_columns);
  if (status != ERT_OK) return fail("run", status);
  for (i = 0; i < rows * out_columns; ++i) printf("%.9g%c", (double)output[i], (i + 1) % out_columns == 0 ? '\n' : ' ');
  return 0;
}

int main(int argc, char** argv) {
  /* The table must outlive the context. */
  static const ert_custom_op kernels[] = {{sizeof(ert_custom_op), "my.ops::Inverse2", NULL, inverse2, 0}};
  ert_config config = {.struct_size = sizeof config, .custom_ops = kernels, .custom_op_count = 1};
  unsigned char* base = arena_storage + (ERT_ARENA_ALIGN - (uintptr_t)arena_storage % ERT_ARENA_ALIGN) % ERT_ARENA_ALIGN;
  ert_region region = {base, ARENA_BYTES};
  ert_value_info in = {.struct_size = sizeof in}, out = {.struct_size = sizeof out};
  ert_file_map map;
  ert_status status;
  int error, failed;

  if (argc != 2) {
    fprintf(stderr, "usage: custom_op BLOB.ert < numbers\n");
    return 2;
  }
  error = ert_file_map_open(&map, argv[1]);
  if (error != 0) {
    fprintf(stderr, "custom_op: %s: %s\n", argv[1], strerror(error));
    return 1;
  }
  status = ert_model_open(&model, map.data, map.bytes);
  if (status == ERT_OK) status = ert_model_input(&model, 0, &in);
  if (status == ERT_OK) status = ert_model_output(&model, 0, &out);
  /* Without the table this answers ERT_ERR_UNSUPPORTED. */
  if (status == ERT_OK) status = ert_context_init(&context, &model, &config, NULL, &region, 1);
  if (status == ERT_ERR_NOMEM) {
    failed = fail_for_memory(&config);
  } else if (status != ERT_OK) {
    failed = fail(argv[1], status);
  } else if (columns_of(&in) <= 0 || columns_of(&out) <= 0) {
    fprintf(stderr, "custom_op: this example takes one input and one output of shape [batch, columns]\n");
    failed = 1;
  } else {
    failed = run_stdin(columns_of(&in), columns_of(&out));
  }
  ert_file_map_close(&map);
  return failed;
}
