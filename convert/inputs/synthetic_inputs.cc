// Deterministic random inputs that fit a model's declared shapes and id ranges.
#include "convert/inputs/synthetic_inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "convert/inputs/random.h"
#include "convert/inputs/signal_inputs.h"
#include "convert/inputs/value_range.h"
#include "convert/ir/dim_multiple.h"

namespace edgeconv {

namespace {

constexpr int64_t kSmallTable = 16;
// Tokens that stand for one smallest size, where a dim has one: below it convolutions have no window (audio samples), and some
// multiples of it are few frames.
constexpr int64_t kTokensPerLeast = 4;
constexpr int64_t kPixelsPerToken = 10, kPixelMultiple = 32;
constexpr int64_t kSampleRate = 16000;
constexpr int64_t kMostPictures = 12;  // in one set, where the file leaves their number open
constexpr uint64_t kStepSeed = 7001;

// Several coordinates per token are a box, [left, top, right, bottom]: its width and height, which models look up in tables,
// are only valid in this order.
void sort_rows(std::span<int64_t> values, int64_t width) {
  const auto w = static_cast<std::ptrdiff_t>(width);
  for (auto at = values.begin(); w > 0 && values.end() - at >= w; at += w) std::sort(at, at + w);
}

// Sound needs more samples than a text has tokens: a syllable of it. Returns the samples of the longest; 0 where there is none.
int64_t lengthen_sound(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec, const std::set<std::string>& leading, DimSizes& size) {
  int64_t longest = 0;
  for (const auto& [input, nature] : plan.kinds) {
    if (nature.kind != InputKind::kWaveform || nature.axis < 1) continue;
    const DimExpr& samples = (*g.value(input).shape)[static_cast<size_t>(nature.axis)];
    if (!samples.is_symbol() || leading.count(samples.symbol_name())) continue;
    int64_t& n = size.at(samples.symbol_name());
    n = std::max(n, std::min<int64_t>(spec.tokens * spec.samples_per_token, plan.range.at(samples.symbol_name()).second));
    longest = std::max(longest, n);
  }
  return longest;
}

// A picture has more rows and columns than a text has tokens, and networks that halve it five times want whole multiples.
void enlarge_pictures(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec, const std::set<std::string>& leading, DimSizes& size) {
  for (const auto& [input, nature] : plan.kinds) {
    if (nature.kind != InputKind::kImage) continue;
    for (const int axis : {nature.axis, nature.axis + 1}) {
      const DimExpr& pixels = (*g.value(input).shape)[static_cast<size_t>(axis)];
      if (!pixels.is_symbol() || leading.count(pixels.symbol_name())) continue;
      int64_t& n = size.at(pixels.symbol_name());
      const int64_t side = std::min<int64_t>(spec.tokens * kPixelsPerToken, plan.range.at(pixels.symbol_name()).second);
      n = std::max(n, side < kPixelMultiple ? side : side / kPixelMultiple * kPixelMultiple);
    }
  }
}

struct Sizes {
  DimSizes of;
  int64_t tokens, least;  // largest and smallest contents of lengths
};

Sizes choose_sizes(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec) {
  DimSizes size;
  std::set<std::string> leading;
  bool has_tokens = false;
  for (ValueId in : g.inputs) {
    const Shape& shape = *g.value(in).shape;
    if (!shape.empty())
      for (const std::string& name : shape[0].symbols()) leading.insert(name);
  }
  for (const auto& [name, range] : plan.range) {
    // A leading dim may exceed the blob's maximum here: the interpreter has no such limit, and more rows calibrate better.
    size[name] = leading.count(name) ? spec.batch : std::min<int64_t>(spec.tokens, range.second);
    has_tokens |= !leading.count(name);
  }
  // A row may be as little as a token, but not where it is a picture.
  const bool pictures =
      std::any_of(plan.kinds.begin(), plan.kinds.end(), [](const auto& kind) { return kind.second.kind == InputKind::kImage; });
  if (!has_tokens)
    for (auto& [name, n] : size) n = pictures ? std::min(spec.batch, kMostPictures) : spec.batch * std::min<int64_t>(spec.tokens, 8);
  for (auto& [name, n] : size)
    if (const auto table = plan.table_limit.find(name); table != plan.table_limit.end()) n = std::min(n, table->second);
  if (spec.within_limits)
    for (auto& [name, n] : size) n = std::min<int64_t>(n, plan.range.at(name).second);
  for (auto& [name, n] : size) n = std::max<int64_t>(n, plan.range.at(name).first);

  const int64_t sound = lengthen_sound(g, plan, spec, leading, size);
  enlarge_pictures(g, plan, spec, leading, size);

  // Where one axis has a smallest size, all are longer: exporters give the samples of audio and those of its mask two names.
  int64_t least = 1;
  for (const auto& [name, n] : size)
    if (!leading.count(name)) least = std::max<int64_t>(least, plan.range.at(name).first);
  int64_t tokens = std::max(spec.tokens, least > 1 ? least * std::max<int64_t>(1, spec.tokens / kTokensPerLeast) : 0);
  tokens = std::max(tokens, sound);
  for (auto& [name, n] : size) {
    if (leading.count(name)) continue;
    if (least > 1) n = std::max(n, std::min<int64_t>(tokens, plan.range.at(name).second));
  }
  for (auto& [name, n] : size) n = size_at_most(name, n);
  // Lengths must not exceed the tokens that there are, nor be less than a convolution needs.
  for (const auto& [name, n] : size)
    if (!leading.count(name)) tokens = std::min(tokens, n);
  return {size, tokens, std::min(least, tokens)};
}

// The size of the smallest axis that an input goes along.
std::optional<int64_t> smallest_axis(const std::map<ValueId, std::vector<DimExpr>>& axes, ValueId input, const DimSizes& sizes) {
  const auto found = axes.find(input);
  if (found == axes.end()) return {};
  std::optional<int64_t> smallest;
  for (const DimExpr& e : found->second)
    if (const auto n = e.evaluate(sizes); n && *n > 0) smallest = std::min(smallest.value_or(*n), *n);
  return smallest;
}

// Of what other inputs have more of.
bool is_one_for_a_sample(const Graph& g, const Value& v) {
  const auto has_more = [&](ValueId other) { return g.value(other).rank() > 1 && g.value(other).shape->front() == v.shape->front(); };
  return v.rank() == 1 && std::any_of(g.inputs.begin(), g.inputs.end(), has_more);
}

// Ids, masks, lengths, and floats that tell nothing of themselves.
Tensor plain_input(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec, const Sizes& sizes, size_t i,
                   const std::vector<int64_t>& dims, Random& random) {
  const std::optional<int64_t> counted = smallest_axis(plan.counted_sizes, g.inputs[i], sizes.of);
  const int64_t tokens = counted.value_or(sizes.tokens), least = std::min(sizes.least, tokens);
  const Value& v = g.value(g.inputs[i]);
  Tensor t(DType::kFloat, dims);
  // A float mask is 1 for a token and 0 for padding, like an integer one.
  const bool float_mask = is_float(v.dtype) && dims.size() >= 2 && v.name.find("mask") != std::string::npos;
  const bool float_ids = is_float(v.dtype) && plan.input_range.count(g.inputs[i]);
  if (is_float(v.dtype) && !float_mask && !float_ids) {
    const auto level = plan.levels.find(g.inputs[i]);
    for (float& x : t.mut<float>()) x = random.normal() * (level == plan.levels.end() ? 1 : level->second);
    if (const auto range = plan.rounded_to.find(g.inputs[i]); range != plan.rounded_to.end()) {
      std::vector<Tensor> one{std::move(t)};
      bring_into_range(InputKind::kFeatures, range->second, spec.seed, one);
      t = std::move(one[0]);
    }
    return t.cast(v.dtype);
  }
  Tensor ints(DType::kInt64, dims);
  const std::optional<int64_t> indexed = smallest_axis(plan.indexed_sizes, g.inputs[i], sizes.of);
  const auto range = plan.input_range.find(g.inputs[i]);
  const auto part = plan.part_rows.find(g.inputs[i]);
  const auto out = ints.mut<int64_t>();
  if (range != plan.input_range.end() || part != plan.part_rows.end()) {
    int64_t rows = range != plan.input_range.end() ? int64_t{range->second.second} + 1 : part->second;
    if (part != plan.part_rows.end()) rows = std::min(rows, part->second);
    if (indexed) rows = std::min(rows, *indexed);
    // One of few for each token is its type, mostly 0; one for a sample, or in a column of its own, is a category.
    const bool category = part != plan.part_rows.end() || is_one_for_a_sample(g, v);
    for (int64_t& x : out) x = rows > kSmallTable || category || spec.small_tables ? random.below(rows) : 0;
    if (dims.size() > 2 && v.shape->back().is_constant()) sort_rows(out, dims.back());
  } else if (indexed) {
    for (int64_t& x : out) x = random.below(*indexed);
    if (dims.size() == 1) std::sort(out.begin(), out.end());  // the graph of each node: those of one stand together
  } else if (is_sample_rate(v)) {
    for (int64_t& x : out) x = kSampleRate;
  } else if (v.dtype == DType::kInt16 || (v.dtype == DType::kUint8 && dims.size() > 2)) {
    const int64_t low = v.dtype == DType::kInt16 ? -32768 : 0, high = v.dtype == DType::kInt16 ? 32767 : 255;
    for (int64_t& x : out) x = low + random.below(high - low + 1);
  } else if (dims.size() == 1) {
    // One integer per row: lengths.
    for (int64_t& x : out) x = spec.ragged ? least + random.below(tokens - least + 1) : tokens;
    if (!out.empty()) out[0] = std::max<int64_t>(1, tokens);
  } else {
    const bool inverse = plan.ones_are_padding.count(g.inputs[i]) != 0;
    const int64_t row = dims.empty() ? 1 : std::max<int64_t>(1, dims.back());
    for (size_t j = 0; j < out.size(); ++j) {
      const int64_t r = static_cast<int64_t>(j) / row, column = static_cast<int64_t>(j) % row;
      const bool token = !spec.ragged || r == 0 || column < std::max<int64_t>(least, row - 1 - (r * 7) % row);
      out[j] = token != inverse;
    }
  }
  return ints.cast(v.dtype);
}

// Signals as a microphone or camera gives them: rounded, and cut off where they are too loud or bright.
Tensor stored_as(const Tensor& signal, DType type) {
  if (is_float(type)) return signal.cast(type);
  const float low = type == DType::kInt16 ? -32768.0f : 0, high = type == DType::kInt16 ? 32767.0f : 255.0f;
  Tensor t = signal;
  for (float& x : t.mut<float>()) x = std::nearbyint(std::clamp(x, low, high));
  return t.cast(type);
}

// Whether rows are samples of a batch, each with states of its own, and not the frames of one.
bool rows_have_states(const Graph& g, const DimPlan& plan, ValueId input) {
  const DimExpr& rows = g.value(input).shape->front();
  if (rows.is_constant()) return false;
  for (const auto& [state, nature] : plan.kinds) {
    if (nature.kind != InputKind::kState) continue;
    const Shape& shape = *g.value(state).shape;
    if (std::find(shape.begin(), shape.end(), rows) != shape.end()) return true;
  }
  return false;
}

}  // namespace

DimSizes synthetic_sizes(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec) {
  return choose_sizes(g, plan, spec).of;
}

std::vector<std::vector<Tensor>> synthetic_steps(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec, size_t steps) {
  const auto sizes = choose_sizes(g, plan, spec);
  std::vector<std::vector<Tensor>> sets(steps);
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    const Value& v = g.value(g.inputs[i]);
    std::vector<int64_t> dims;
    for (const DimExpr& e : *v.shape) dims.push_back(e.evaluate(sizes.of).value());
    const auto kind = plan.kinds.find(g.inputs[i]);
    if (kind != plan.kinds.end() && (kind->second.kind != InputKind::kState || is_float(v.dtype))) {
      const bool short_rows = kind->second.axis > 0 && dims[static_cast<size_t>(kind->second.axis)] <= kShortWaveform;
      const SignalLayout layout{spec.seed * 31 + i, steps, short_rows && (steps == 1 || !rows_have_states(g, plan, g.inputs[i]))};
      InputNature nature = kind->second;
      const auto range = plan.rounded_to.find(g.inputs[i]);
      const bool known = range != plan.rounded_to.end() && nature.kind != InputKind::kState;
      if (known && nature.kind == InputKind::kWaveform) nature.scale = InputScale::kUnit;
      std::vector<Tensor> tensors = signal_tensors(nature, dims, layout);
      if (known) bring_into_range(nature.kind, range->second, layout.seed, tensors);
      for (size_t step = 0; step < steps; ++step) sets[step].push_back(stored_as(tensors[step], v.dtype));
      continue;
    }
    for (size_t step = 0; step < steps; ++step) {
      Random random((spec.seed + step * kStepSeed) * 1000003 + i);
      sets[step].push_back(plain_input(g, plan, spec, sizes, i, dims, random));
    }
  }
  return sets;
}

std::vector<Tensor> synthetic_inputs(const Graph& g, const DimPlan& plan, const SyntheticSpec& spec) {
  return synthetic_steps(g, plan, spec, 1)[0];
}

}  // namespace edgeconv
