// Prints what ert-bench measured: a table for people, JSON and CSV for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/texts.h"

namespace ert::bench {

struct Report {
  std::string blob_path;
  const Blob* blob = nullptr;
  Options options;
  std::vector<Result> results;
  std::optional<TextResult> texts;  // instead of results
};

void print_table(const Report& r);
void print_json(const Report& r);  // bench/README.md documents the schema
void print_csv(const Report& r);   // a row per shape, or per shape and op where ops were timed

}  // namespace ert::bench
