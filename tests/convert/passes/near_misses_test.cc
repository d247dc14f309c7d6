// Models of the fixtures with one thing changed, under the check of debug builds: what nearly is what a pass looks for must compute the same
// after all passes, and as a blob in fp32 the same again. ERT_NEAR_MISSES=N sets the changes of each model, ERT_NEAR_MISS=MODEL:SEED repeats one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/passes/pass.h"
#include "convert/passes/trial_inputs.h"
#include "convert/prepare/prepare.h"
#include "rt/base/float_mode.h"
#include "tests/convert/fixtures.h"
#include "tests/convert/lower/run_lowered.h"
#include "tests/convert/passes/changed_passes.h"
#include "tests/convert/passes/graph_changes.h"

namespace edgeconv::testing {

namespace {

struct Counts {
  int valid = 0, compared = 0, run = 0, sensitive = 0;
};

// Rounded to half precision, results differ by as much as a change makes of that.
bool has_halves(const Graph& g) {
  return std::any_of(g.values.begin(), g.values.end(),
                     [](const Value& v) { return v.dtype == DType::kFloat16 || v.dtype == DType::kBfloat16; });
}

bool fits_32_bits(const Tensor& t) {
  const std::vector<int64_t> v = t.to_int64();
  return std::all_of(v.begin(), v.end(), [](int64_t x) { return x == static_cast<int32_t>(x); });
}

// Both are fp32, and one contract says how each operator is computed.
void compare_blob(const Graph& g, const TrialInputs& trial, Counts& counts) {
  std::vector<Tensor> outputs;
  try {
    LowerOptions exact;
    exact.plan.int8_attention = exact.plan.int8_tables = false;
    outputs = run_lowered(g, trial.inputs, exact);
  } catch (const FatalError& e) {
    EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
    return;
  }
  ++counts.run;
  ASSERT_EQ(outputs.size(), trial.outputs.size());
  const std::vector<Tensor> canonical = interpret(g, trial.inputs, {Backend::kCanonical, {}});
  for (size_t o = 0; o < outputs.size(); ++o) {
    ASSERT_EQ(outputs[o].dims(), canonical[o].dims());
    if (!is_float(canonical[o].dtype()) && !fits_32_bits(canonical[o])) continue;  // integers of a blob have 32 bits
    const std::vector<float> want = canonical[o].to_float(), got = outputs[o].to_float(), oracle = trial.outputs[o].to_float();
    double most = 0, noise = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      if (!std::isfinite(want[i])) continue;
      most = std::max<double>(most, std::fabs(want[i]));
      noise = std::max<double>(noise, std::fabs(want[i] - oracle[i]));
    }
    for (size_t i = 0; i < want.size(); ++i) {
      if (!std::isfinite(want[i])) continue;
      ASSERT_LE(std::fabs(want[i] - got[i]), 32 * noise + 1e-5 * most)
          << "output " << o << ", element " << i << ": " << want[i] << " and " << got[i];
    }
  }
}

void check(const Graph& model, const std::string& name, uint64_t seed, Counts& counts) {
  Graph g = model;
  const std::string change = change_graph(g, seed);
  if (change.empty()) return;
  SCOPED_TRACE(name + ":" + std::to_string(seed) + ", " + change);
  Diagnostics d;
  TrialInputs trial;
  try {
    if (!g.sort()) return;
    infer(g, d);
    if (!d.ok() || has_halves(g)) return;
    ++counts.valid;
    trial = trial_inputs(g);
    counts.compared += trial.reason.empty();
    const Graph before = g;
    try {
      run_passes(g, d, {true, nullptr});
    } catch (const FatalError& e) {
      if (e.code() != ExitCode::kInternal || !trial.reason.empty() || !is_sensitive(before, trial.inputs, trial.outputs)) throw;
      ++counts.sensitive;
      return;
    }
    if (trial.reason.empty()) compare_blob(g, trial, counts);
  } catch (const FatalError& e) {
    EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
  }
}

TEST(NearMisses, ComputeTheSameAfterAllPasses) {
  const ert::FloatMode mode;
  const char* asked = std::getenv("ERT_NEAR_MISSES");
  const char* one = std::getenv("ERT_NEAR_MISS");
  const uint64_t changes = asked ? std::strtoull(asked, nullptr, 10) : 6;
  Counts counts;
  uint64_t models = 0;
  for (const std::string& name : fixture_names()) {
    if (one && name != std::string(one, std::strcspn(one, ":"))) continue;
    Diagnostics d;
    Graph g;
    try {
      g = prepare_model(fixture_model(name), {}, d).graph;
    } catch (const FatalError&) {
      continue;  // those of the tests of refusals
    }
    if (has_halves(g)) continue;
    ++models;
    if (one)
      check(g, name, std::strtoull(std::strchr(one, ':') + 1, nullptr, 10), counts);
    else
      for (uint64_t i = 0; i < changes; ++i) check(g, name, models * 1000003 + i, counts);
  }
  std::printf("%d changed models are valid, %d are compared, %d of them as blobs; %d are sensitive to rounding\n", counts.valid, counts.compared, counts.run,
              counts.sensitive);
  if (one) return;
  EXPECT_GE(counts.valid, static_cast<int>(models * changes / 4));
  EXPECT_GE(counts.compared, counts.valid * 8 / 10);
  EXPECT_GE(counts.run, counts.valid / 2);
  EXPECT_LE(counts.sensitive, counts.valid / 500 + 1);
}

}  // namespace

}  // namespace edgeconv::testing
