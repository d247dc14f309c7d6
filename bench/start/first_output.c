/* What a small program pays until its first output: opens a blob, plans one shape, runs once, and prints when that was done and
 * which memory it holds. compare/start.py starts it and knows when.
 *
 *   first_output BLOB.ert NAME=SIZE...      a size for every dim of the blob
 *
 * Plain C on the public API and one thread, as an application would embed it. Every integer input is 1, every float 0.5.
 * Prints JSON: done_ns (the system's monotonic clock), blob_bytes, arena_bytes, io_bytes (inputs and outputs), and resident
 * bytes: resident_bytes of the process, of which resident_blob_bytes and resident_arena_bytes. */
#define _DEFAULT_SOURCE /* mincore, MAP_ANONYMOUS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/platform.h"
#include "platform/posix/file_map.h"
#include "rt/include/ert.h"

#define MOST_VALUES 8
#define MOST_DIMS 8

static void require(ert_status s, const char* what) {
  if (s == ERT_OK) return;
  fprintf(stderr, "first_output: %s: %s\n", what, ert_status_str(s));
  exit(1);
}

static void refuse(const char* why) {
  fprintf(stderr, "first_output: %s\n", why);
  exit(2);
}

/* Whole pages of their own, so that they can be told apart from the rest of the process. */
static void* pages(size_t bytes) {
  void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) refuse("out of memory");
  return p;
}

static void read_dims(const ert_model* m, uint32_t count, int argc, char** argv, int32_t* dims) {
  if (count > MOST_DIMS || (uint32_t)(argc - 2) != count) refuse("give a NAME=SIZE for every dim of the blob");
  for (uint32_t i = 0; i < count; ++i) {
    ert_dim_info d = {.struct_size = sizeof d};
    require(ert_model_dim(m, i, &d), "dim");
    const size_t length = strlen(d.name);
    dims[i] = 0;
    for (int a = 2; a < argc; ++a) {
      if (strncmp(argv[a], d.name, length) == 0 && argv[a][length] == '=') dims[i] = atoi(argv[a] + length + 1);
    }
    if (dims[i] < d.min || dims[i] > d.max) refuse("a dim is missing or out of range");
  }
}

static size_t element_bytes(uint32_t dtype) { return dtype == ERT_I64 ? 8 : dtype == ERT_F32 || dtype == ERT_I32 ? 4 : 1; }

static size_t bind_input(ert_context* c, const ert_model* m, uint32_t i, const int32_t* dims) {
  ert_value_info info = {.struct_size = sizeof info};
  require(ert_model_input(m, i, &info), "input");
  ert_tensor t = {.struct_size = sizeof t, .dtype = info.dtype, .rank = info.rank};
  size_t count = 1;
  for (uint32_t a = 0; a < info.rank; ++a) {
    if (info.shape[a] < 0 && info.dim[a] < 0) refuse("an input has an axis that no dim names");
    t.shape[a] = info.shape[a] >= 0 ? info.shape[a] : dims[info.dim[a]];
    count *= (size_t)t.shape[a];
  }
  t.bytes = count * element_bytes(t.dtype);
  t.data = malloc(t.bytes);
  if (t.data == NULL) refuse("out of memory");
  memset(t.data, 0, t.bytes);
  for (size_t k = 0; k < count; ++k) {
    if (t.dtype == ERT_F32)
      ((float*)t.data)[k] = 0.5f;
    else
      ((uint8_t*)t.data)[k * element_bytes(t.dtype)] = 1; /* little-endian: the low byte comes first */
  }
  require(ert_bind_input(c, i, &t), info.name);
  return t.bytes;
}

static size_t bind_output(ert_context* c, uint32_t i) {
  ert_tensor t = {.struct_size = sizeof t};
  require(ert_output_shape(c, i, &t), "output shape");
  t.data = malloc(t.bytes);
  if (t.data == NULL) refuse("out of memory");
  require(ert_bind_output(c, i, &t), "output");
  return t.bytes;
}

/* Resident bytes of the mapping that starts at `start`; of all mappings where it is NULL. */
static uint64_t resident(const void* start) {
  FILE* file = fopen("/proc/self/smaps", "r");
  if (file == NULL) refuse("cannot read /proc/self/smaps");
  char line[512];
  uint64_t bytes = 0;
  int counts = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long long from, to, kib;
    if (sscanf(line, "%llx-%llx ", &from, &to) == 2) counts = start == NULL || from == (uintptr_t)start;
    if (counts && sscanf(line, "Rss: %llu kB", &kib) == 1) bytes += kib * 1024;
  }
  fclose(file);
  return bytes;
}

/* Neighbours of the same kind may share one line of smaps, so the arena's pages are asked for one by one. */
static uint64_t resident_pages(void* start, size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = (bytes + page - 1) / page;
  unsigned char* present = malloc(count);
  if (present == NULL || mincore(start, bytes, present) != 0) refuse("cannot ask for resident pages");
  uint64_t found = 0;
  for (size_t i = 0; i < count; ++i) found += (present[i] & 1u) * page;
  free(present);
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) refuse("usage: first_output BLOB.ert NAME=SIZE...");
  ert_file_map map;
  if (ert_file_map_open(&map, argv[1]) != 0) refuse("cannot open the blob");
  static ert_model model;
  static ert_context context;
  require(ert_model_open(&model, map.data, map.bytes), "open");
  ert_info info = {.struct_size = sizeof info};
  require(ert_model_info(&model, &info), "info");
  if (info.inputs > MOST_VALUES || info.outputs > MOST_VALUES) refuse("too many inputs or outputs");
  int32_t dims[MOST_DIMS];
  read_dims(&model, info.dims, argc, argv, dims);
  ert_memory_need need = {.struct_size = sizeof need};
  require(ert_arena_bytes(&model, NULL, dims, &need), "memory plan");
  const ert_region region = {pages(need.bytes), need.bytes};
  require(ert_context_init(&context, &model, NULL, dims, &region, 1), "context");
  size_t io = 0;
  for (uint32_t i = 0; i < info.inputs; ++i) io += bind_input(&context, &model, i, dims);
  for (uint32_t i = 0; i < info.outputs; ++i) io += bind_output(&context, i);
  require(ert_run(&context), "run");
  const uint64_t done = ert_clock_ns();
  const uint64_t all = resident(NULL), blob = resident(map.data), arena = resident_pages(region.base, need.bytes);
  printf(
      "{\"done_ns\": %llu, \"blob_bytes\": %llu, \"arena_bytes\": %llu, \"io_bytes\": %llu, \"resident_bytes\": %llu, "
      "\"resident_blob_bytes\": %llu, \"resident_arena_bytes\": %llu}\n",
      (unsigned long long)done, (unsigned long long)map.bytes, (unsigned long long)need.bytes, (unsigned long long)io,
      (unsigned long long)all, (unsigned long long)blob, (unsigned long long)arena);
  return 0;
}
