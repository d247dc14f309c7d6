// ert-bench BLOB.ert [--shape NAME=SIZE,...]... [--warmup N] [--runs N] [--isa NAME] [--profile] [--json] on a Cortex-M board: reads the
// blob from the host into the board's large RAM and prints the JSON of ert-bench. The clock is the core's (platform/cortex_m/clock.c).
#include <string.h>

#include "bench/exit_code.h"
#include "bench/firmware/bench.h"
#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"
#include "platform/platform.h"

namespace ert::bench {
namespace {

int fail(int code, const char* what, const char* why) {
  ert_print_error("ert-bench: ");
  ert_print_error(what);
  ert_print_error(": ");
  ert_print_error(why);
  ert_print_error("\n");
  return code;
}

int fail(const char* what, ert_status status) { return fail(ert_exit_code(status), what, ert_status_str(status)); }

// A number from 1 (or 0, with `zero`) to 1000000 up to `end`.
bool read_number(const char* text, char end, bool zero, uint32_t* out, const char** rest) {
  uint32_t n = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9' && n <= 1000000; ++at) n = n * 10 + static_cast<uint32_t>(*at - '0');
  if (at == text || (*at != '\0' && *at != end) || n > 1000000 || (n == 0 && !zero)) return false;
  *out = n;
  if (rest != nullptr) *rest = *at == '\0' ? at : at + 1;
  return true;
}

uint32_t isa_mask_of(const char* name) {
  for (int isa = 0; isa < 32; ++isa) {
    const char* known = ert_isa_name(static_cast<ert_isa>(isa));
    if (known != nullptr && strcmp(known, name) == 0) return ERT_ISA_BIT(isa);
  }
  return 0;
}

// 0, or the exit code.
int read_options(int argc, char** argv, BoardOptions* o) {
  for (int i = 1; i < argc; ++i) {
    const char* const name = argv[i];
    if (strcmp(name, "--json") == 0) continue;
    if (strcmp(name, "--profile") == 0) {
      o->profile = true;
      continue;
    }
    if (name[0] != '-') {
      o->blob = name;
      continue;
    }
    const char* const value = i + 1 < argc ? argv[++i] : "";
    bool good = false;
    if (strcmp(name, "--shape") == 0) {
      o->shapes[o->n_shapes++] = value;
      good = *value != '\0';
    } else if (strcmp(name, "--warmup") == 0) {
      good = read_number(value, '\0', true, &o->warmup, nullptr);
    } else if (strcmp(name, "--runs") == 0) {
      good = read_number(value, '\0', false, &o->runs, nullptr);
    } else if (strcmp(name, "--isa") == 0) {
      o->isa_mask = isa_mask_of(value);
      good = o->isa_mask != 0;
    }
    if (!good) return fail(2, name, "unknown, or a value that it does not take");
  }
  return o->blob != nullptr ? 0 : fail(2, "BLOB.ert", "is missing");
}

bool same_name(const char* name, const char* text, size_t length) { return strlen(name) == length && memcmp(name, text, length) == 0; }

// Dims that `shape` does not name take their minimum; all take their maximum when it is null.
bool read_shape(const ert_model& model, const char* shape, int32_t* dims) {
  ert_dim_info dim = {};
  dim.struct_size = sizeof dim;
  for (uint32_t i = 0; ert_model_dim(&model, i, &dim) == ERT_OK; ++i) dims[i] = shape == nullptr ? dim.max : dim.min;
  while (shape != nullptr && *shape != '\0') {
    const char* const equals = static_cast<const char*>(memchr(shape, '=', strlen(shape)));
    uint32_t size = 0;
    const char* rest = nullptr;
    if (equals == nullptr || !read_number(equals + 1, ',', false, &size, &rest)) return false;
    bool known = false;
    for (uint32_t i = 0; ert_model_dim(&model, i, &dim) == ERT_OK; ++i) {
      if (!same_name(dim.name, shape, static_cast<size_t>(equals - shape))) continue;
      dims[i] = static_cast<int32_t>(size);
      known = dims[i] >= dim.min && dims[i] <= dim.max;
    }
    if (!known) return false;
    shape = rest;
  }
  return true;
}

int run(int argc, char** argv) {
  static uint64_t work[12 * 1024 / 8];
  static ert_model model;
  static BoardOptions options;
  const int wrong = read_options(argc, argv, &options);
  if (wrong != 0) return wrong;
  BulkMemory memory(__bulk_start, __bulk_end);
  void* const blob = memory.take(0);
  const size_t bytes = ert_read_host_file(options.blob, blob, memory.left());
  if (bytes == SIZE_MAX) return fail(6, options.blob, "cannot be read");
  if (memory.take(bytes) == nullptr) return fail(5, options.blob, "does not fit the board's memory");
  const uint64_t start = ert_clock_ns();
  ert_status status = ert_model_open_in(&model, blob, bytes, work, sizeof work);
  const uint64_t open_ns = ert_clock_ns() - start;
  ert_info info = {};
  info.struct_size = sizeof info;
  if (status == ERT_OK) status = ert_model_info(&model, &info);
  if (status != ERT_OK) return fail(options.blob, status);
  // All shapes are checked before anything is printed.
  BoardResult result = {};
  for (uint32_t i = 0; i < options.n_shapes; ++i) {
    if (!read_shape(model, options.shapes[i], result.dims))
      return fail(2, options.shapes[i], "no NAME=SIZE,... of this blob's dims within their ranges");
  }
  for (uint32_t i = 0; i == 0 || i < options.n_shapes; ++i) {
    result = {};
    read_shape(model, options.n_shapes == 0 ? nullptr : options.shapes[i], result.dims);
    status = measure_on_board(model, options, memory, &result);
    if (status != ERT_OK) return fail(options.blob, status);
    if (i == 0) print_head(options, info, open_ns);
    print_result(model, options, result, i == 0);
  }
  print_tail();
  return 0;
}

}  // namespace
}  // namespace ert::bench

int main(int argc, char** argv) { return ert::bench::run(argc, argv); }
