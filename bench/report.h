// Prints what ert-bench measured: a table for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace ert::bench {

struct Report {
  std::string blob_path;
  const Blob* blob = nullptr;
  Options options;
  std::vector<Result> results;
};

void print_table(const Report& r);
void print_json(const Report& r);  // bench/README.md documents the schema

}  // namespace ert::bench
