// See output_check.h.
#include "convert/passes/output_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "convert/passes/trial_inputs.h"

namespace edgeconv {

namespace {

// A pass may reorder more sums than the two backends do differently. An output that they agree on by chance has the least. In graphs of
// half precision every result is rounded, and a pass that makes one node of several leaves out some of it.
constexpr double kOfNoise = 32, kOfLargest = 1e-5, kOfLargestFloat16 = 32 * 0x1p-11, kOfLargestBfloat16 = 32 * 0x1p-8;

std::string text(double v) {
  char s[32];
  std::snprintf(s, sizeof s, "%.9g", v);
  return s;
}

struct Difference {
  double largest = 0;
  size_t at = 0;
};

// Where `before` is NaN or infinite there is nothing to compare; where only `after` is, the difference is infinite.
Difference difference(const std::vector<float>& before, const std::vector<float>& after) {
  Difference d;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before[i])) continue;
    const double by = std::isfinite(after[i]) ? std::fabs(static_cast<double>(before[i]) - after[i]) : HUGE_VAL;
    if (by > d.largest) d = {by, i};
  }
  return d;
}

double largest_of(const std::vector<float>& values) {
  double most = 0;
  for (float v : values)
    if (std::isfinite(v)) most = std::max(most, std::fabs(static_cast<double>(v)));
  return most;
}

double least_allowed(const Graph& g) {
  double least = kOfLargest;
  for (const Value& v : g.values) {
    if (v.dtype == DType::kFloat16) least = std::max(least, kOfLargestFloat16);
    if (v.dtype == DType::kBfloat16) least = std::max(least, kOfLargestBfloat16);
  }
  return least;
}

// Integers are equal or not: where the two backends already disagree (the position of a maximum), nothing is demanded.
double allowed_difference(const Tensor& oracle, const Tensor& canonical, double of_largest) {
  const std::vector<float> values = oracle.to_float();
  const double noise = difference(values, canonical.to_float()).largest;
  if (!is_float(oracle.dtype())) return noise > 0 ? std::numeric_limits<double>::infinity() : 0;
  return kOfNoise * noise + of_largest * largest_of(values);
}

[[noreturn]] void fail(std::string_view pass, int round, const std::string& what) {
  const std::string name(pass);
  throw FatalError(ExitCode::kInternal, "internal error: pass " + name + " (round " + std::to_string(round) + ") " + what +
                                            "; --dump-graph " + name + "=FILE shows the graph before and after");
}

}  // namespace

void OutputCheck::start(const Graph& g) {
  TrialInputs trial = trial_inputs(g);
  reason_ = trial.reason;
  if (!reason_.empty()) return;
  inputs_ = std::move(trial.inputs);
  outputs_ = std::move(trial.outputs);
  std::vector<Tensor> canonical;
  try {
    canonical = interpret(g, inputs_, {Backend::kCanonical, {}});
  } catch (const FatalError& e) {
    reason_ = e.what();
    return;
  }
  const double of_largest = least_allowed(g);
  allowed_.clear();
  for (size_t o = 0; o < outputs_.size(); ++o)
    allowed_.push_back(outputs_[o].dtype() == DType::kUndefined ? 0 : allowed_difference(outputs_[o], canonical[o], of_largest));
}

void OutputCheck::compare(std::string_view pass, int round, const Graph& g) {
  if (!reason_.empty()) return;
  std::vector<Tensor> after;
  try {
    after = interpret(g, inputs_);
  } catch (const FatalError& e) {
    fail(pass, round, std::string("leaves a graph that does not run: ") + e.what());
  }
  if (after.size() != outputs_.size()) fail(pass, round, "changes the number of outputs");
  for (size_t o = 0; o < after.size(); ++o) {
    const std::string output = "output '" + g.value(g.outputs[o]).name + "'";
    // What a fusion makes of half precision is fp32, as blobs are.
    const bool same_type = after[o].dtype() == outputs_[o].dtype() || (is_float(after[o].dtype()) && is_float(outputs_[o].dtype()));
    if (!same_type || after[o].dims() != outputs_[o].dims())
      fail(pass, round, "changes the type or shape of " + output);
    if (after[o].dtype() == DType::kUndefined) continue;
    const std::vector<float> was = outputs_[o].to_float(), is = after[o].to_float();
    const Difference d = difference(was, is);
    if (d.largest > allowed_[o])
      fail(pass, round,
           "changes " + output + ": element " + std::to_string(d.at) + " was " + text(was[d.at]) + " and is " + text(is[d.at]) +
               ", and another order of sums explains " + text(allowed_[o]));
  }
  outputs_ = std::move(after);
}

}  // namespace edgeconv
