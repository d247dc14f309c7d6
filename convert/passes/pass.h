// Graph passes: one file per pass, passes/<name>.cc. A pass looks at the graph, rewrites what matches and returns how many
// matches it rewrote. pass_list.inc holds the order; pipeline.cc runs it round after round until nothing changes, with inference
// after each pass that changed something. Checked runs (output_check.h) compare the graph's outputs before and after.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/ir/pass_trace.h"

namespace edgeconv {

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

using PassFunction = int (*)(Graph& g, Diagnostics& d);

// What the outputs are after a pass: the same but for the order of float sums, or others on purpose.
enum class Effect { kSameOutputs, kOtherOutputs };

struct PassDef {
  std::string_view name;
  PassFunction run;
  Effect effect = Effect::kSameOutputs;
};

struct PassOptions {
  // Where a pass changes an output, or the passes do not come to an end, FatalError(kInternal) says which. Unchecked, a warning
  // tells of the end that was not reached.
  bool checked = kDebugBuild;
  PassTrace* trace = nullptr;
};

struct PipelineResult {
  std::vector<std::pair<std::string, int>> counts;  // pass name, matches (all rounds together)
};

PipelineResult run_passes(Graph& g, Diagnostics& d, const PassOptions& o = {});

// Turns an already quantized model into the fp32 model that it stands for (quantized_pass_list.inc). Constants remember the
// file's integers. A model without quantized operators stays as it is.
PipelineResult run_quantized_import(Graph& g, Diagnostics& d, const PassOptions& o = {});

// The runner behind both.
PipelineResult run_pass_list(std::span<const PassDef> passes, Graph& g, Diagnostics& d, const PassOptions& o);

// Of both lists.
std::vector<std::string_view> graph_pass_names();

}  // namespace edgeconv
