// The measuring core of ert-bench: opens a blob, fills inputs, times runs. Uses the runtime and platform only; printing is
// in report.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rt/include/ert.h"

namespace ert::bench {

// A failure with the exit code of the command line (exit_code.h).
struct Failure {
  int exit_code;
  std::string message;
};

struct Options {
  uint32_t threads = 1;
  uint32_t warmup = 5;
  uint32_t runs = 50;        // of all repetitions
  uint32_t repetitions = 5;  // series of runs, each in a context of its own; other rows have their turn between them
  uint32_t isa_mask = 0;     // 0 = the best
  bool profile = false;
  uint32_t profile_runs = 0;  // 0: as runs
};

struct OpTime {
  std::string kind, name;
  double us = 0;  // mean of one run
};

struct Result {
  std::map<std::string, int32_t> dims;
  uint32_t threads = 1;
  std::string isa;
  size_t blob = 0;                        // which of several blobs
  uint64_t sequences = 1, tokens = 0;     // of one run; tokens: 0 where the inputs do not tell
  std::vector<double> repetition_p50_us;  // the median of each repetition
  double spread = 0;                      // half their range, as a share of their median; 0 for one repetition
  double min_us = 0, p50_us = 0, p90_us = 0, p99_us = 0, max_us = 0, mean_us = 0;
  double init_us = 0, first_run_us = 0;
  uint64_t arena_bytes = 0, macs = 0;
  uint32_t output_crc = 0;       // CRC-32C of all outputs, in order: equal on every ISA and thread count
  std::vector<OpTime> ops;       // with Options.profile
  std::vector<double> times_us;  // sorted
};

// A blob in memory, mapped from a file or expanded from a compressed one.
class Blob {
 public:
  explicit Blob(const std::string& path);  // throws Failure
  ~Blob();
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  const ert_model& model() const { return model_; }
  ert_info info() const;
  double open_us() const { return open_us_; }

 private:
  void expand();
  ert_model model_{};
  const void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  void* expanded_ = nullptr;
  double open_us_ = 0;
};

// Names and values of one --shape; dims that are not named take their minimum.
std::map<std::string, int32_t> complete_dims(const ert_model& m, const std::map<std::string, int32_t>& given);  // throws Failure
// Every dim at its maximum: the shape when none is given.
std::map<std::string, int32_t> largest_dims(const ert_model& m);

// One series of options.runs runs. Where options.profile is set, ops are timed in others.
Result measure(const Blob& blob, const std::map<std::string, int32_t>& dims, const Options& options);  // throws Failure

// Adds a further repetition to `all`, which may be empty.
void add_repetition(Result* all, Result one);

double median_of(std::vector<double> values);  // of an even number the mean of the two in the middle; 0 for none

}  // namespace ert::bench
