// Sizes are tried without making anything of them.
#include "convert/inputs/affordable_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/ir/diagnostics.h"
#include "convert/interp/memory_limits.h"

namespace edgeconv {

namespace {

// Three sets of few tokens cost a fifth of a calibration; of a fixed size each costs as much as one.
constexpr double kComparedShare = 0.5;
// Three times as many tokens as are compared otherwise.
constexpr double kHeldOutShare = 1.5;
// Errors of one row in a thousand are found in 5000 rows; of 384 samples with one row each, those of one in a hundred.
// That many only where all of them take little: every plan of a search runs them.
constexpr int kHeldOutSets = 48, kUsualHeldOut = 6, kHeldOutSeed = 201;
constexpr double kCheapHeldOut = 2e8;
constexpr int64_t kHeldOutTokens[] = {8, 8, 16, 8, 8, 32, 5, 12, 8, 24, 8, 48};

[[noreturn]] void refuse(const Graph& g, const DimSizes& sizes, double work) {
  const Node* most = nullptr;
  for (const Node& n : g.nodes)
    if (!n.dead && (!most || node_work(g, n, sizes) > node_work(g, *most, sizes))) most = &n;
  std::string what, at;
  if (most && !most->outputs.empty() && most->outputs[0] != kNone && g.value(most->outputs[0]).shape)
    what = fmt::format(", most of it '{}' ({}), which gives {}", most->origin.node, most->origin.op_type,
                       shape_str(*g.value(most->outputs[0]).shape));
  for (const auto& [name, n] : sizes) at += fmt::format("{}{}={}", at.empty() ? " at " : ", ", name, n);
  throw FatalError(
      ExitCode::kLimit,
      fmt::format("the model is too much work for its parameters: one run{} takes about {:.3g} s{}; a conversion runs "
                  "models that take up to {:.3g} s on inputs that it makes up. Export with dynamic axes or smaller "
                  "fixed sizes, or give real inputs with --calib",
                  at, work / 1e9, what, allowed_work(g) / 1e9));
}

}  // namespace

SyntheticSpec affordable(const Graph& g, const DimPlan& dims, SyntheticSpec spec, double patience) {
  const double allowed = allowed_work(g);
  while (true) {
    const DimSizes sizes = synthetic_sizes(g, dims, spec);
    const double work = graph_work(g, sizes);
    const bool fits = within_interpreter_limits(g, sizes);
    if (work <= allowed && fits) return spec;
    if (spec.batch > 1) {
      spec.batch = (spec.batch + 1) / 2;
    } else if (spec.tokens > 1) {
      spec.tokens = (spec.tokens + 1) / 2;
    } else if (fits && work <= allowed * patience) {
      return spec;
    } else if (fits) {
      refuse(g, sizes, work);
    } else {
      check_interpreter_limits(g, sizes);
    }
  }
}

std::vector<Tensor> calibration_inputs(const Graph& g, const DimPlan& dims) {
  return synthetic_inputs(g, dims, affordable(g, dims, {}));
}

std::vector<std::vector<Tensor>> comparison_inputs(const Graph& g, const DimPlan& dims) {
  std::vector<std::vector<Tensor>> sets;
  double left = allowed_work(g) * kComparedShare;
  for (const SyntheticSpec& usual :
       {SyntheticSpec{4, 32, false, 101, true}, {4, 24, true, 102, true}, {1, 5, false, 103, true}}) {
    const SyntheticSpec spec = affordable(g, dims, usual, kPatience);
    left -= graph_work(g, synthetic_sizes(g, dims, spec));
    if (!sets.empty() && left < 0) break;
    sets.push_back(synthetic_inputs(g, dims, spec));
  }
  return sets;
}

std::vector<std::vector<Tensor>> held_out_inputs(const Graph& g, const DimPlan& dims, int draw) {
  std::vector<std::vector<Tensor>> sets;
  double left = allowed_work(g) * kHeldOutShare;
  for (int i = 0; i < kHeldOutSets; ++i) {
    const int64_t tokens = kHeldOutTokens[static_cast<size_t>(draw * kUsualHeldOut + i) % std::size(kHeldOutTokens)];
    const auto seed = static_cast<uint64_t>(kHeldOutSeed + draw * kHeldOutSets + i);
    const SyntheticSpec spec = affordable(g, dims, {8, tokens, tokens > 8, seed, true, true});
    left -= graph_work(g, synthetic_sizes(g, dims, spec));
    if (!sets.empty() && (left < 0 || (i >= kUsualHeldOut && allowed_work(g) * kHeldOutShare - left > kCheapHeldOut))) break;
    sets.push_back(synthetic_inputs(g, dims, spec));
  }
  return sets;
}

}  // namespace edgeconv
