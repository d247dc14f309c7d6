// The words after ert-bench, checked: usage, values and what excludes what.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/texts.h"

namespace ert::bench {

using Dims = std::map<std::string, int32_t>;

struct CommandLine {
  std::vector<std::string> blobs;
  std::vector<Dims> shapes;  // none: every dim at its maximum
  std::vector<uint32_t> threads = {1};
  TextOptions texts;  // without a file: shapes
  Options options;
  std::string format = "table";  // markdown, csv, json
  std::string old_file;          // --compare
  double fail_above = -1;        // percent; below 0: any verdict is fine
  std::string plot;
};

// False: help or the version were asked for and printed. Throws Failure.
bool read_command_line(int argc, char** argv, CommandLine* out);

}  // namespace ert::bench
