// ert-bench as firmware: the measuring core of bench/measure.h without heap, strings or a C library. Everything lies in the board's
// large RAM, one piece behind the other.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/include/ert.h"

namespace ert::bench {

struct BoardOptions {
  const char* blob = nullptr;
  const char* shapes[15];  // as given to --shape: NAME=SIZE,NAME=SIZE
  uint32_t n_shapes = 0;
  uint32_t warmup = 1, runs = 5;
  uint32_t isa_mask = 0;
  bool profile = false;
};

struct BoardOp {
  const char *kind, *name;
  uint64_t ns;  // all runs
};

// Times in nanoseconds of the board's clock.
struct BoardResult {
  int32_t dims[ERT_MAX_DIMS];
  ert_isa isa;
  uint64_t min, p50, p90, p99, max, mean, init, first_run;
  uint64_t arena_bytes, macs;
  uint32_t output_crc;
  const BoardOp* ops;  // null without --profile
  uint32_t n_ops;
};

// What is left of the large RAM. Copies of it free what was taken since.
class BulkMemory {
 public:
  BulkMemory(unsigned char* begin, unsigned char* end) : at_(begin), end_(end) {}
  // 64-aligned; null when it does not fit.
  void* take(size_t bytes) {
    unsigned char* p = at_ + (64 - reinterpret_cast<uintptr_t>(at_) % 64) % 64;
    if (p > end_ || bytes > static_cast<size_t>(end_ - p)) return nullptr;
    at_ = p + bytes;
    return p;
  }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

 private:
  unsigned char *at_, *end_;
};

// At the dims of result->dims. OK, or the status of the call that failed; NOMEM also when the board's RAM does not suffice.
ert_status measure_on_board(const ert_model& model, const BoardOptions& options, BulkMemory memory, BoardResult* result);

// bench/ert_bench.schema.json. The result's profile may lie in memory that measure_on_board took.
void print_head(const BoardOptions& options, const ert_info& info, uint64_t open_ns);
void print_result(const ert_model& model, const BoardOptions& options, const BoardResult& result, bool first);
void print_tail();

}  // namespace ert::bench
