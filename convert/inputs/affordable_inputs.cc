// Sizes are tried without making anything of them.
#include "convert/inputs/affordable_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/inputs/streams.h"
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

// Errors of states add up over runs: a second of sound or two.
constexpr size_t kComparedSteps = 96, kCalibrationSteps = 32;
constexpr int64_t kStatefulBatch = 2;
constexpr size_t kCalibrationSets = 16, kFixedSets = 24, kSignalSets = 6;
// Of windows of features each set has one size of several, and a classifier is undecided on few of them.
constexpr size_t kWindowSets = 96;
// A classifier gives a row for a text: of the nine texts that are always compared none may be one that it is undecided on. More are compared while all of
// them take little, since every plan of a search runs them.
constexpr double kFewRows = 300, kCheapTexts = 1e8;

// Of a row and of a sample, as a Comparison counts them, with the room that lists grow by and what sorting copies. An output of one axis has a sample for
// each element. Of very many samples less is in memory (OutputSums::begin_sample); their time stays.
constexpr double kSumsOfRow = 96, kSumsOfSample = 240;

// Rows of the output that has the fewest.
double rows_compared(const Graph& g, const DimSizes& sizes) {
  double fewest = kFewRows;
  for (ValueId v : g.outputs)
    if (v != kNone && g.value(v).shape && !g.value(v).shape->empty())
      fewest = std::min(fewest, elements_at(Shape(g.value(v).shape->begin(), g.value(v).shape->end() - 1), sizes));
  return fewest;
}

double bytes_of_sums(const Graph& g, ValueId v, const DimSizes& sizes) {
  if (v == kNone || !g.value(v).shape) return 0;
  const Shape& shape = *g.value(v).shape;
  const auto outermost = shape.begin() + std::min<std::ptrdiff_t>(1, std::ssize(shape));
  const double samples = elements_at(Shape(shape.begin(), outermost), sizes);
  const double rows = shape.empty() ? 1 : elements_at(Shape(shape.begin(), shape.end() - 1), sizes);
  return rows * kSumsOfRow + samples * kSumsOfSample;
}

// What a set leaves in memory as long as a conversion compares with it: the inputs, and outputs of two references.
double kept_bytes(const Graph& g, const DimSizes& sizes) {
  double bytes = 0;
  for (ValueId v : g.inputs) bytes += value_bytes(g, v, sizes);
  for (ValueId v : g.outputs) bytes += 2 * value_bytes(g, v, sizes);
  return bytes;
}

// The same with the sums: what every further set takes.
double room_of_set(const Graph& g, const DimSizes& sizes) {
  double bytes = kept_bytes(g, sizes);
  for (ValueId v : g.outputs) bytes += bytes_of_sums(g, v, sizes);
  return bytes;
}

// While the set is run; results of candidates are in memory beside it.
double bytes_with_set(const Graph& g, const DimSizes& sizes) { return run_bytes(g, sizes) + kept_bytes(g, sizes); }

std::string at_sizes(const DimSizes& sizes) {
  std::string at;
  for (const auto& [name, n] : sizes) at += fmt::format("{}{}={}", at.empty() ? " at " : ", ", name, n);
  return at;
}

// Of the node for which `price` is highest: ", most of it 'name' (Kind), which gives [shape]".
template <class Price>
std::string most_of_it(const Graph& g, const Price& price) {
  const Node* most = nullptr;
  for (const Node& n : g.nodes)
    if (!n.dead && (!most || price(n) > price(*most))) most = &n;
  if (!most || most->outputs.empty() || most->outputs[0] == kNone || !g.value(most->outputs[0]).shape) return "";
  return fmt::format(", most of it '{}' ({}), which gives {}", most->origin.node, most->origin.op_type,
                     shape_str(*g.value(most->outputs[0]).shape));
}

[[noreturn]] void refuse_memory(const Graph& g, const DimSizes& sizes) {
  const auto gives = [&](const Node& n) {
    double bytes = 0;
    for (ValueId v : n.outputs) bytes += value_bytes(g, v, sizes);
    return bytes;
  };
  throw FatalError(ExitCode::kLimit,
                   fmt::format("the model takes too much memory for its parameters: one run{} and what it is compared with hold "
                               "{:.0f} MB{}; a conversion runs "
                               "models that hold up to {:.0f} MB on inputs that it makes up. Export with dynamic axes or smaller "
                               "fixed sizes, or give real inputs with --calib",
                               at_sizes(sizes), bytes_with_set(g, sizes) / 1e6, most_of_it(g, gives), allowed_bytes(g) / 1e6));
}

[[noreturn]] void refuse_work(const Graph& g, const DimSizes& sizes, double work) {
  const std::string what = most_of_it(g, [&](const Node&n) { return node_work(g, n, sizes); }), at = at_sizes(sizes);
  const bool fp32_too = work <= allowed_work(g) * kPatience;
  throw FatalError(
      ExitCode::kLimit,
      fmt::format(
          "the model is too much work for its parameters: one run{} takes about {:.3g} s{}; a conversion runs "
          "models that take up to {:.3g} s on inputs that it makes up, and up to {:.3g} s with --precision fp32. "
          "Export with dynamic axes or smaller fixed sizes,{} or give real inputs with --calib",
          at, work / 1e9, what, allowed_work(g) * kTrialPatience / 1e9, allowed_work(g) * kPatience / 1e9,
          fp32_too ? " convert with --precision fp32," : ""));
}

// Floats of which every set has as many rows as the file says, however few.
bool has_fixed_rows(const Graph& g) {
  bool floats = false;
  for (ValueId v : g.inputs) {
    const Shape& shape = *g.value(v).shape;
    if (!shape.empty() && !shape[0].is_constant()) return false;
    floats |= is_float(g.value(v).dtype);
  }
  return floats;
}

// Runs of g that follow each other, from states of zero.
std::vector<std::vector<Tensor>> steps_with_states(const Graph& g, const DimPlan& dims, const SyntheticSpec& usual, size_t most) {
  const SyntheticSpec spec = affordable(g, dims, usual, kTrialPatience);
  const DimSizes sizes = synthetic_sizes(g, dims, spec);
  const double work = graph_work(g, sizes);
  const double affordable_steps =
      std::min(allowed_work(g) * kComparedShare / work, allowed_bytes(g) / std::max(1.0, kept_bytes(g, sizes)));
  const auto steps = static_cast<size_t>(std::clamp(affordable_steps, 1.0, static_cast<double>(most)));
  std::vector<std::vector<Tensor>> sets = synthetic_steps(g, dims, spec, steps);
  sets.resize(follow_states(g, dims, states_of(g, dims), sets));
  return sets;
}

// Sets of the lengths of held-out texts behind those of `specs`, until each output has rows enough.
void add_cheap_texts(const Graph& g, const DimPlan& dims, std::vector<SyntheticSpec>& specs) {
  double rows = 0, work = 0;
  const auto count = [&](const SyntheticSpec& spec) {
    const DimSizes sizes = synthetic_sizes(g, dims, affordable(g, dims, spec, kPatience));
    rows += rows_compared(g, sizes);
    return work += graph_work(g, sizes);
  };
  for (const SyntheticSpec& spec : specs) count(spec);
  while (rows < kFewRows) {
    const size_t i = specs.size();
    const SyntheticSpec next = {8, kHeldOutTokens[i % std::size(kHeldOutTokens)], i % 2 == 0, 101 + i, true};
    if (count(next) > kCheapTexts) break;
    specs.push_back(next);
  }
}

// A set for each spec, as large as it may be, as long as work and memory last; at least one.
std::vector<std::vector<Tensor>> sets_within(const Graph& g, const DimPlan& dims, const std::vector<SyntheticSpec>& specs,
                                             double work, double patience = 1) {
  std::vector<std::vector<Tensor>> sets;
  double room = allowed_bytes(g);
  for (const SyntheticSpec& usual : specs) {
    const SyntheticSpec spec = affordable(g, dims, usual, patience);
    const DimSizes sizes = synthetic_sizes(g, dims, spec);
    work -= graph_work(g, sizes);
    room -= room_of_set(g, sizes);
    if (!sets.empty() && (work < 0 || room < 0)) break;
    sets.push_back(synthetic_inputs(g, dims, spec));
  }
  return sets;
}

}  // namespace

SyntheticSpec affordable(const Graph& g, const DimPlan& dims, SyntheticSpec spec, double patience) {
  const double allowed = allowed_work(g);
  while (true) {
    const DimSizes sizes = synthetic_sizes(g, dims, spec);
    const double work = graph_work(g, sizes);
    const bool fits = within_interpreter_limits(g, sizes) && bytes_with_set(g, sizes) <= allowed_bytes(g);
    if (work <= allowed && fits) return spec;
    if (spec.batch > 1) {
      spec.batch = (spec.batch + 1) / 2;
    } else if (spec.tokens > 1) {
      spec.tokens = (spec.tokens + 1) / 2;
    } else {
      check_interpreter_limits(g, sizes);
      if (work > allowed * patience) refuse_work(g, sizes, work);
      if (!fits) refuse_memory(g, sizes);
      return spec;
    }
  }
}

bool has_states(const DimPlan& dims) {
  return std::any_of(dims.kinds.begin(), dims.kinds.end(), [](const auto& k) { return k.second.kind == InputKind::kState; });
}

bool has_windows(const DimPlan& dims) {
  return std::any_of(dims.kinds.begin(), dims.kinds.end(), [](const auto& k) { return k.second.kind == InputKind::kWindow; });
}

std::vector<std::vector<Tensor>> calibration_inputs(const Graph& g, const DimPlan& dims) {
  if (has_states(dims)) return steps_with_states(g, dims, {kStatefulBatch, 32, false}, kCalibrationSteps);
  std::vector<SyntheticSpec> specs(has_fixed_rows(g) ? kCalibrationSets : 1);
  for (size_t i = 0; i < specs.size(); ++i) specs[i].seed += i;
  return sets_within(g, dims, specs, allowed_work(g), kTrialPatience);
}

std::vector<std::vector<Tensor>> comparison_inputs(const Graph& g, const DimPlan& dims) {
  if (has_states(dims)) return steps_with_states(g, dims, {kStatefulBatch, 32, false, 101, true}, kComparedSteps);
  std::vector<SyntheticSpec> specs = {{4, 32, false, 101, true}, {4, 24, true, 102, true}, {1, 5, false, 103, true}};
  // Signals differ more than tokens do, and where the file fixes the number of rows a set is one sample.
  size_t count = has_fixed_rows(g) ? kFixedSets : dims.kinds.empty() ? specs.size() : kSignalSets;
  if (has_windows(dims) && kWindowSets * graph_work(g, synthetic_sizes(g, dims, specs[0])) < kCheapHeldOut) count = kWindowSets;
  if (dims.kinds.empty() && !has_fixed_rows(g)) add_cheap_texts(g, dims, specs);
  while (specs.size() < count) specs.push_back({4, specs.size() % 2 ? 32 : 20, specs.size() % 2 == 0, 101 + specs.size(), true});
  return sets_within(g, dims, specs, allowed_work(g) * kComparedShare, kPatience);
}

std::vector<std::vector<Tensor>> held_out_inputs(const Graph& g, const DimPlan& dims, int draw, double most_work) {
  std::vector<std::vector<Tensor>> sets;
  const double most = most_work > 0 ? most_work : allowed_work(g) * kHeldOutShare;
  double work = 0, room = allowed_bytes(g);
  for (int i = 0; i < kHeldOutSets; ++i) {
    const int64_t tokens = kHeldOutTokens[static_cast<size_t>(draw * kUsualHeldOut + i) % std::size(kHeldOutTokens)];
    const auto seed = static_cast<uint64_t>(kHeldOutSeed + draw * kHeldOutSets + i);
    const SyntheticSpec spec = affordable(g, dims, {8, tokens, tokens > 8, seed, true, true}, kTrialPatience);
    const DimSizes sizes = synthetic_sizes(g, dims, spec);
    work += graph_work(g, sizes);
    room -= room_of_set(g, sizes);
    if (!sets.empty() && (work > most || room < 0 || (i >= kUsualHeldOut && work > kCheapHeldOut))) break;
    sets.push_back(synthetic_inputs(g, dims, spec));
  }
  return sets;
}

}  // namespace edgeconv
