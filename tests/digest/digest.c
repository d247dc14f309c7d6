/* See digest.h. C99 on the public API only, as an application would be. */
#include "tests/digest/digest.h"

#include <string.h>

#include "rt/text/ngram.h"

typedef struct buffers {
  int32_t ids[ERT_DIGEST_BATCH * ERT_DIGEST_MAX_SEQUENCE];
  int32_t mask[ERT_DIGEST_BATCH * ERT_DIGEST_MAX_SEQUENCE];
  float alone[ERT_DIGEST_BATCH * ERT_DIGEST_MAX_COLUMNS];
  float together[ERT_DIGEST_BATCH * ERT_DIGEST_MAX_COLUMNS];
  uint32_t lengths[ERT_DIGEST_BATCH];
  uint32_t columns; /* of the output */
} buffers;

static buffers memory;
static ert_model model;
static ert_context context;

static uint64_t fnv1a(uint64_t hash, const void* data, size_t bytes) {
  const unsigned char* p = (const unsigned char*)data;
  size_t i;
  for (i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static ert_config config_of(const ert_digest_job* job) {
  ert_config config;
  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config;
  config.isa_mask = job->isa_mask;
  return config;
}

static ert_status largest_dims(const ert_digest_job* job, int32_t* dims) {
  ert_dim_info dim;
  uint32_t i;
  memset(&dim, 0, sizeof dim);
  dim.struct_size = sizeof dim;
  for (i = 0; i < ERT_MAX_DIMS && ert_model_dim(&model, i, &dim) == ERT_OK; ++i) {
    if (strcmp(dim.name, "batch") == 0) {
      dims[i] = (int32_t)job->batch;
    } else if (strcmp(dim.name, "sequence") == 0) {
      dims[i] = job->max_sequence;
    } else {
      return ERT_ERR_DIMS;
    }
  }
  return ERT_OK;
}

ert_status ert_digest_arena(const ert_digest_job* job, size_t* bytes) {
  const ert_config config = config_of(job);
  int32_t dims[ERT_MAX_DIMS];
  ert_memory_need need;
  ert_status status = ert_model_open_in(&model, job->blob, job->blob_bytes, job->work, job->work_bytes);
  if (status == ERT_OK) status = largest_dims(job, dims);
  memset(&need, 0, sizeof need);
  need.struct_size = sizeof need;
  if (status == ERT_OK) status = ert_arena_bytes(&model, &config, dims, &need);
  *bytes = need.bytes;
  return status;
}

static ert_tensor tensor(uint32_t dtype, void* data, uint32_t rows, uint32_t columns) {
  ert_tensor t;
  memset(&t, 0, sizeof t);
  t.struct_size = sizeof t;
  t.dtype = dtype;
  t.rank = 2;
  t.shape[0] = (int32_t)rows;
  t.shape[1] = (int32_t)columns;
  t.data = data;
  t.bytes = (size_t)rows * columns * 4;
  return t;
}

/* The output is [batch, columns]. */
static ert_status read_columns(void) {
  ert_value_info info;
  ert_status status;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  status = ert_model_output(&model, 0, &info);
  if (status != ERT_OK) return status;
  if (info.rank != 2 || info.shape[1] < 1 || info.shape[1] > ERT_DIGEST_MAX_COLUMNS) return ERT_ERR_DIMS;
  memory.columns = (uint32_t)info.shape[1];
  return ERT_OK;
}

/* One call for each op, as firmware with a watchdog does. */
static ert_status run_in_steps(void) {
  ert_status status;
  do {
    status = ert_step(&context);
  } while (status == ERT_STEP_MORE);
  return status;
}

/* Runs `rows` texts of `length` ids each, which lie at `ids` and `mask`: one text in steps, a batch at once. */
static ert_status run_rows(int32_t* ids, int32_t* mask, uint32_t rows, uint32_t length, float* output) {
  ert_tensor t = tensor(ERT_F32, output, rows, memory.columns);
  ert_status status = ert_bind_output(&context, 0, &t);
  uint32_t i;
  for (i = 0; i < 2 && status == ERT_OK; ++i) {
    ert_value_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    status = ert_model_input(&model, i, &info);
    if (status != ERT_OK) return status;
    t = tensor(ERT_I32, strcmp(info.name, "input_ids") == 0 ? ids : mask, rows, length);
    status = ert_bind_input(&context, i, &t);
  }
  if (status != ERT_OK) return status;
  return rows == 1 ? run_in_steps() : ert_run(&context);
}

/* The texts of one group, each alone and then together. */
static ert_status run_group(uint32_t rows, uint32_t width, ert_digest_result* result) {
  ert_status status = ERT_OK;
  uint32_t r, longest = 0;
  for (r = 0; r < rows && status == ERT_OK; ++r) {
    status = run_rows(memory.ids + r * width, memory.mask + r * width, 1, memory.lengths[r], memory.alone + r * memory.columns);
    if (memory.lengths[r] > longest) longest = memory.lengths[r];
  }
  if (status != ERT_OK) return status;
  result->digest = fnv1a(result->digest, memory.alone, rows * memory.columns * sizeof(float));
  for (r = 1; r < rows; ++r) { /* rows closer together: only the longest text's ids and some padding are left */
    memmove(memory.ids + r * longest, memory.ids + r * width, longest * sizeof(int32_t));
    memmove(memory.mask + r * longest, memory.mask + r * width, longest * sizeof(int32_t));
  }
  status = run_rows(memory.ids, memory.mask, rows, longest, memory.together);
  for (r = 0; r < rows && status == ERT_OK; ++r) {
    result->batch_differences +=
        memcmp(memory.alone + r * memory.columns, memory.together + r * memory.columns, memory.columns * sizeof(float)) != 0;
  }
  return status;
}

static ert_status run_texts(const ert_digest_job* job, ert_digest_result* result) {
  static const ert_ngram_form form = ERT_NGRAM_FORM_OF_LANGID;
  const uint32_t width = (uint32_t)job->max_sequence;
  const char *at = job->texts, *end = job->texts + job->texts_bytes;
  uint32_t rows = 0;
  ert_status status = ERT_OK;
  memset(memory.ids, 0, sizeof memory.ids);
  memset(memory.mask, 0, sizeof memory.mask);
  while (at < end && status == ERT_OK && (job->max_texts == 0 || result->texts < job->max_texts)) {
    const char* line_end = (const char*)memchr(at, '\n', (size_t)(end - at));
    const char* text = (const char*)memchr(at, '\t', (size_t)(end - at));
    const char* stop = line_end != NULL ? line_end : end;
    uint32_t i;
    if (text != NULL && text < stop) {
      const uint32_t n = ert_ngram_ids(&form, text + 1, (size_t)(stop - text - 1), memory.ids + rows * width, width);
      for (i = 0; i < n; ++i) memory.mask[rows * width + i] = 1;
      memory.lengths[rows++] = n;
      ++result->texts;
    }
    at = line_end != NULL ? line_end + 1 : end;
    if (rows == job->batch || (rows > 0 && (at >= end || result->texts == job->max_texts))) {
      status = run_group(rows, width, result);
      memset(memory.ids, 0, sizeof memory.ids);
      memset(memory.mask, 0, sizeof memory.mask);
      rows = 0;
    }
  }
  return status;
}

ert_status ert_digest_run(const ert_digest_job* job, ert_digest_result* result) {
  const ert_config config = config_of(job);
  const ert_region region = {job->arena, job->arena_bytes};
  int32_t dims[ERT_MAX_DIMS];
  ert_status status = ert_model_open_in(&model, job->blob, job->blob_bytes, job->work, job->work_bytes);
  if (job->batch < 1 || job->batch > ERT_DIGEST_BATCH || job->max_sequence < 1 || job->max_sequence > ERT_DIGEST_MAX_SEQUENCE)
    return ERT_ERR_ARG;
  if (status == ERT_OK) status = read_columns();
  if (status == ERT_OK) status = largest_dims(job, dims);
  if (status == ERT_OK) status = ert_context_init(&context, &model, &config, dims, &region, 1);
  if (status == ERT_OK) status = ert_context_isa(&context, &result->isa);
  if (status == ERT_OK) status = ert_selftest(&context);
  return status == ERT_OK ? run_texts(job, result) : status;
}
