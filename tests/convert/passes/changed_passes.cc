// See changed_passes.h.
#include "tests/convert/passes/changed_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/passes/trial_inputs.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/passes/graph_changes.h"

namespace edgeconv::testing {

bool is_sensitive(const Graph& g, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs_before) {
  constexpr float kNudge = 0x1p-18f, kAmplified = 64;
  Graph nudged = g;
  for (Value& v : nudged.values) {
    if (!v.constant || v.dtype != DType::kFloat) continue;
    std::vector<float> x = v.constant->to_float();
    for (size_t i = 0; i < x.size(); ++i) x[i] *= i % 2 ? 1 + kNudge : 1 - kNudge;
    v.constant = Tensor::of<float>(DType::kFloat, v.constant->dims(), x);
  }
  const std::vector<Tensor> outputs = interpret(nudged, inputs);
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::vector<float> was = outputs_before[o].to_float(), is = outputs[o].to_float();
    float most = 0, moved = 0;
    for (size_t i = 0; i < was.size(); ++i) {
      if (std::isfinite(was[i]) != std::isfinite(is[i])) return true;
      if (!std::isfinite(was[i])) continue;
      most = std::max(most, std::fabs(was[i]));
      moved = std::max(moved, std::fabs(was[i] - is[i]));
    }
    if (moved > kAmplified * kNudge * most) return true;
  }
  return false;
}

namespace {

bool computes_with_halves(const Graph& g) {
  return std::any_of(g.values.begin(), g.values.end(),
                     [](const Value& v) { return v.dtype == DType::kFloat16 || v.dtype == DType::kBfloat16; });
}

void expect_kept(Graph g) {
  Diagnostics d;
  TrialInputs trial;
  try {
    if (!g.sort()) return;
    infer(g, d);
    if (!d.ok() || computes_with_halves(g)) return;
    trial = trial_inputs(g);
    const Graph before = g;
    try {
      run_passes(g, d, {true, nullptr});
    } catch (const FatalError& e) {
      if (e.code() != ExitCode::kInternal || !trial.reason.empty() || !is_sensitive(before, trial.inputs, trial.outputs)) throw;
    }
  } catch (const FatalError& e) {
    EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
  }
}

}  // namespace

void passes_keep_near_misses(const Graph& g) {
  const char* asked = std::getenv("ERT_NEAR_MISSES");
  const uint64_t changes = asked ? std::strtoull(asked, nullptr, 10) : 10;
  for (uint64_t seed = 0; seed < changes; ++seed) {
    Graph changed = g;
    const std::string what = change_graph(changed, seed);
    if (what.empty()) continue;
    SCOPED_TRACE("near miss " + std::to_string(seed) + ": " + what);
    expect_kept(std::move(changed));
  }
}

}  // namespace edgeconv::testing
