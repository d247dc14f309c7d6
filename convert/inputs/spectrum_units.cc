// See spectrum_units.h.
#include "convert/inputs/spectrum_units.h"

#include <algorithm>

#include "convert/inputs/affordable_inputs.h"
#include "convert/inputs/noisy_inputs.h"
#include "convert/interp/interpreter.h"
#include "convert/measure/accuracy.h"
#include "rt/base/float_mode.h"

namespace edgeconv {

namespace {

constexpr int64_t kRows = 8;  // two of each usual unit
constexpr int64_t kFrames = 24;
constexpr uint64_t kSeed = 301;
constexpr size_t kVector = 4;  // shorter rows are numbers of their own
// Losses of cosine by noise of 1e-4. A speaker encoder has 1e-8 to 1e-7 on logarithms as they are and about .05 on the usual units; eighty models out of
// packages 6e-5 at most on what is made up for them.
constexpr double kChaotic = 1e-3, kCalm = 1e-5;

// Whether losses_by_noise may find rows: shapes tell before the model is run.
bool may_have_rows(const Graph& g) {
  return std::any_of(g.outputs.begin(), g.outputs.end(), [&](ValueId o) {
    const Value& v = g.value(o);
    if (v.dtype != DType::kUndefined && !is_float(v.dtype)) return false;
    if (!v.shape) return true;
    if (v.shape->size() < 2) return false;
    DimExpr width(1);
    for (size_t i = 1; i < v.shape->size(); ++i) width = width * (*v.shape)[i];
    return width.constant().value_or(static_cast<int64_t>(kVector)) >= static_cast<int64_t>(kVector);
  });
}

// What noise in the inputs costs each row, in the output where it costs most, in ascending order; empty where outputs have no such rows.
std::vector<double> losses_by_noise(const Graph& g, const DimPlan& dims, ValueId spectrum) {
  const auto input = static_cast<size_t>(std::find(g.inputs.begin(), g.inputs.end(), spectrum) - g.inputs.begin());
  std::vector<double> losses;
  if (!may_have_rows(g)) return losses;
  // Where nothing but the number of rows is open, one is taken for several.
  const DimExpr& count = g.value(spectrum).shape->front();
  const bool several = count.evaluate(synthetic_sizes(g, dims, {1, kFrames})).value_or(1) >= kRows;
  for (uint64_t seed = kSeed; losses.size() < static_cast<size_t>(kRows) && seed < kSeed + kRows; ++seed) {
    const auto set = synthetic_inputs(g, dims, affordable(g, dims, {several ? 1 : kRows, kFrames, false, seed}, kTrialPatience));
    const int64_t rows = set[input].dims()[0];
    const auto exact = interpret(g, set, {Backend::kCanonical, {}}), moved = interpret(g, noisy_inputs(set), {Backend::kCanonical, {}});
    const size_t before = losses.size();
    for (size_t o = 0; o < exact.size(); ++o) {
      if (!is_float(exact[o].dtype()) || exact[o].rank() < 2 || exact[o].dims()[0] != rows || exact[o].dims() != moved[o].dims()) continue;
      const std::vector<float> a = exact[o].to_float(), b = moved[o].to_float();
      const size_t width = a.size() / static_cast<size_t>(rows);
      if (width < kVector) continue;
      losses.resize(before + static_cast<size_t>(rows));
      for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
        Products p;
        for (size_t i = r * width; i < (r + 1) * width; ++i) p.add(static_cast<double>(a[i]), static_cast<double>(b[i]));
        losses[before + r] = std::max(losses[before + r], loss_of(p.cosine()));
      }
    }
    if (losses.size() == before) return {};
  }
  std::sort(losses.begin(), losses.end());
  return losses;
}

// But for one row in eight: some answer calmly, and others do not, by luck.
bool is_chaotic(const std::vector<double>& losses) {
  return !losses.empty() && losses[losses.size() / 8] > kCalm && losses[losses.size() / 2] > kChaotic;
}

bool is_calm(const std::vector<double>& losses) {
  return !losses.empty() && losses[losses.size() - 1 - losses.size() / 8] <= kCalm && losses.back() <= kChaotic;
}

}  // namespace

void settle_units(const Graph& g, DimPlan& dims) {
  if (has_states(dims)) return;
  const ert::FloatMode float_mode;
  for (auto& [input, nature] : dims.kinds) {
    if (dims.rounded_to.count(input)) continue;  // the file tells
    if (nature.kind != InputKind::kSpectrum || nature.scale != InputScale::kAny || !g.value(input).shape->front().is_symbol()) continue;
    try {
      if (!is_chaotic(losses_by_noise(g, dims, input))) continue;
      nature.scale = InputScale::kLogarithms;
      if (!is_calm(losses_by_noise(g, dims, input))) nature.scale = InputScale::kAny;
    } catch (const FatalError&) {
      nature.scale = InputScale::kAny;  // a model that takes no made-up inputs is told so where they are needed
    }
  }
}

}  // namespace edgeconv
