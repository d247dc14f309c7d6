/* stack_program idle|run BLOB...: reads each blob; with `run` opens it, replays its golden vectors and runs it on zeros. Its own stack is that of any
 * small C program: everything large comes from the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/include/ert.h"

enum { kRoom = 1 << 20 };

static void *aligned(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes + 64) != 0) exit(5);
  memset(p, 0, bytes + 64);
  return p;
}

static void bind(ert_context *c, const ert_model *m) {
  ert_info info = {0};
  uint32_t i, axis;
  info.struct_size = sizeof info;
  if (ert_model_info(m, &info) != ERT_OK) exit(4);
  for (i = 0; i < info.inputs; ++i) {
    ert_value_info v = {0};
    ert_tensor t = {0};
    v.struct_size = sizeof v;
    t.struct_size = sizeof t;
    ert_model_input(m, i, &v);
    t.dtype = v.dtype, t.rank = v.rank;
    t.data = aligned(kRoom), t.bytes = kRoom;
    for (axis = 0; axis < v.rank; ++axis) {
      ert_dim_info d = {0};
      d.struct_size = sizeof d;
      t.shape[axis] = v.shape[axis];
      if (v.dim[axis] >= 0 && ert_model_dim(m, (uint32_t)v.dim[axis], &d) == ERT_OK) t.shape[axis] = d.max < 16 ? d.max : 16;
    }
    ert_bind_input(c, i, &t);
  }
  for (i = 0; i < info.outputs; ++i) {
    ert_tensor t = {0};
    ert_value_info v = {0};
    v.struct_size = sizeof v;
    ert_model_output(m, i, &v);
    t.struct_size = sizeof t;
    t.dtype = v.dtype, t.data = aligned(kRoom), t.bytes = kRoom;
    ert_bind_output(c, i, &t);
  }
}

static int run(const void *blob, size_t bytes) {
  static ert_model m;
  static ert_context c;
  ert_memory_need need = {0};
  ert_region region;
  memset(&m, 0, sizeof m);
  memset(&c, 0, sizeof c);
  need.struct_size = sizeof need;
  if (ert_model_open(&m, blob, bytes) != ERT_OK || ert_arena_bytes(&m, NULL, NULL, &need) != ERT_OK) return 0;
  region.base = aligned(need.bytes), region.bytes = need.bytes;
  if (ert_context_init(&c, &m, NULL, NULL, &region, 1) != ERT_OK) return 0;
  ert_selftest(&c);
  bind(&c, &m);
  return ert_run(&c) == ERT_OK;
}

int main(int argc, char **argv) {
  int i, ran = 0;
  for (i = 2; i < argc; ++i) {
    FILE *f = fopen(argv[i], "rb");
    void *blob = aligned(kRoom);
    size_t bytes;
    if (f == NULL) return 3;
    bytes = fread(blob, 1, kRoom, f);
    fclose(f);
    if (strcmp(argv[1], "run") == 0) ran += run(blob, bytes);
    free(blob);
  }
  printf("%d\n", ran);
  return 0;
}
