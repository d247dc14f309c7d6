// Runs the passes round after round until nothing changes; one fusion often makes room for another.
#include <map>
#include <span>

#include "convert/infer/infer.h"
#include "convert/passes/pass.h"

namespace edgeconv {

#define EDGECONV_PASS(name) int pass_##name(Graph& g, Diagnostics& d);
#include "convert/passes/pass_list.inc"
#include "convert/passes/quantized_pass_list.inc"
#undef EDGECONV_PASS

namespace {

constexpr PassDef kPasses[] = {
#define EDGECONV_PASS(name) {#name, pass_##name},
#include "convert/passes/pass_list.inc"
#undef EDGECONV_PASS
};

constexpr PassDef kQuantizedPasses[] = {
#define EDGECONV_PASS(name) {#name, pass_##name},
#include "convert/passes/quantized_pass_list.inc"
#undef EDGECONV_PASS
};

constexpr int kMaxRounds = 6;

PipelineResult run(std::span<const PassDef> passes, Graph& g, Diagnostics& d) {
  std::map<std::string_view, int> total;
  for (int round = 0; round < kMaxRounds; ++round) {
    int changed = 0;
    for (const PassDef& pass : passes) {
      const int n = pass.run(g, d);
      if (n == 0) continue;
      total[pass.name] += n;
      changed += n;
      g.remove_dead();
      g.sort();
      infer(g, d);
      if (!d.ok()) return {};
    }
    if (changed == 0) break;
  }
  PipelineResult r;
  for (const PassDef& pass : passes) r.counts.emplace_back(std::string(pass.name), total[pass.name]);
  return r;
}

}  // namespace

PipelineResult run_passes(Graph& g, Diagnostics& d) { return run(kPasses, g, d); }
PipelineResult run_quantized_import(Graph& g, Diagnostics& d) { return run(kQuantizedPasses, g, d); }

}  // namespace edgeconv
