// --compare: the rows of this run beside those of a JSON file of before, and whether what differs is more than the noise of both.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace ert::bench {

struct ComparedRow {
  std::string blob;  // file name
  std::map<std::string, int32_t> dims;
  uint32_t threads = 1;
  double old_us = 0, new_us = 0;  // medians
  double noise = 0;               // spreads of both together, at least 2 %
  bool same_bits = true;
  double change() const { return new_us / old_us - 1; }
  const char* verdict() const { return change() > noise ? "slower" : change() < -noise ? "faster" : "same"; }
};

struct Comparison {
  std::string old_path;
  std::vector<ComparedRow> rows;
  size_t only_old = 0, only_new = 0;  // rows without a partner
  std::vector<std::string> warnings;  // another CPU, compiler or clock: what may be the reason
  double mean_change() const;         // of the geometric mean
  std::string verdict() const;        // one line
};

// Asked before anything is measured. Throws Failure: 6 for a file that cannot be read, 3 for one that ert-bench --json did not write.
void check_old(const std::string& old_path);

// blobs: the path of each, as Result.blob counts; clock_us: the least clock_loop_us() of this run.
// Throws Failure as check_old() does, and 2 where no row is in both.
Comparison compare(const std::string& old_path, const std::vector<std::string>& blobs, const std::vector<Result>& results,
                   const std::string& cpu, const std::string& compiler, double clock_us);

}  // namespace ert::bench
