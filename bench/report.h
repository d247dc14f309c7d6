// Prints what ert-bench measured: tables for people and documents, JSON and CSV for programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/comparison.h"
#include "bench/measure.h"
#include "bench/texts.h"

namespace ert::bench {

struct Report {
  std::vector<std::string> paths;
  std::vector<std::unique_ptr<Blob>> blobs;  // of paths
  Options options;
  std::vector<Result> results;
  std::optional<TextResult> texts;  // instead of results
  std::vector<double> clock_us;     // clock_loop_us() before, between and after
  std::vector<std::string> warnings;
  std::optional<Comparison> comparison;
};

std::string cpu_name();
std::string compiler_name();
std::string hex(uint32_t v);
std::string dims_text(const std::map<std::string, int32_t>& dims);  // "-" for none
double per_second(uint64_t count, double us);                       // 0 for no time
double gmacs_per_second(const Result& r);

void print_table(const Report& r);
void print_markdown(const Report& r);
void print_comparison(const Comparison& c, bool markdown);
std::vector<std::vector<std::string>> result_table(const Report& r);  // the first row names the columns
void print_json(const Report& r);                                     // bench/README.md documents the schema
void print_csv(const Report& r);                                      // a row per shape, or per shape and op where ops were timed

}  // namespace ert::bench
