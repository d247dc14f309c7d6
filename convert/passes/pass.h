// Graph passes: one file per pass, passes/<name>.cc. A pass looks at the graph, rewrites what matches and returns how many
// matches it rewrote. pass_list.inc holds the order; pipeline.cc runs it, runs inference after each pass that changed
// something, logs the counts, and in debug builds compares the graph's outputs before and after by the interpreter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

using PassFunction = int (*)(Graph& g, Diagnostics& d);

struct PassDef {
  std::string_view name;
  PassFunction run;
};

struct PipelineResult {
  std::vector<std::pair<std::string, int>> counts;  // pass name, matches (all rounds together)
};

PipelineResult run_passes(Graph& g, Diagnostics& d);

// Turns an already quantized model into the fp32 model that it stands for (quantized_pass_list.inc). Constants remember the
// file's integers. A model without quantized operators stays as it is.
PipelineResult run_quantized_import(Graph& g, Diagnostics& d);

}  // namespace edgeconv
