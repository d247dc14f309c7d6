// The range of every named dim: what the user asks for, within what the model's tables allow, or a default for its kind of axis.
#include "convert/dims/dims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "convert/dims/counted_axes.h"
#include "convert/dims/fitting_sizes.h"
#include "convert/dims/frame_axes.h"
#include "convert/dims/hidden_states.h"
#include "convert/dims/index_origin.h"
#include "convert/dims/size_equalities.h"
#include "convert/dims/table_limits.h"
#include "convert/interp/work.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"
#include "rt/base/limits.h"

namespace edgeconv {

namespace {

constexpr int64_t kDefaultBatch = 8, kDefaultTokens = 512;
// Where the leading axis is the only dynamic one (an MLP), a row is as cheap as a token.
constexpr int64_t kDefaultRows = 64;

// Two inputs may call one size by two names.
std::map<std::string, int64_t> by_kept_names(const Graph& g, const std::map<std::string, int64_t>& given) {
  std::map<std::string, int64_t> r;
  for (const auto& [name, most] : given) {
    const auto same = g.same_dims.find(name);
    const auto [at, fresh] = r.emplace(same == g.same_dims.end() ? name : same->second, most);
    if (!fresh && at->second != most)
      throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) + ": it is the same size as '" + at->first +
                                             "', for which --dim says " + std::to_string(at->second) + "; give one of them");
  }
  return r;
}

// Before passes and references make anything as long as an axis of an input. What nobody reads is in the blob, too.
void check_input_sizes(const Graph& g, const DimPlan& plan) {
  DimSizes most;
  std::string at;
  for (const auto& [name, range] : plan.range) {
    most[name] = range.second;
    at += (at.empty() ? " at the maximum dims (" : " ") + name + "=" + std::to_string(range.second);
  }
  for (const ValueId v : g.inputs)
    if (g.value(v).shape && elements_at(*g.value(v).shape, most) > INT32_MAX)
      throw FatalError(ExitCode::kLimit, "input '" + printable(g.value(v).name) + "' is " + shape_str(*g.value(v).shape) + ", more than 2^31 - 1 elements" +
                                             (at.empty() ? "; export it with smaller sizes" : at + "); lower them with --dim NAME=MAX"));
}

// The named axes of inputs.
struct NamedDims {
  std::set<std::string> all, leading;  // leading: batches, as a first axis is where nothing tells frames
  std::set<std::string> tokens;    // behind the first axis: of ids, of masks, and of [batch, time, features]
  std::set<std::string> measured;  // the others behind the first axis: samples, frames, sides of a picture
};

NamedDims named_dims(const Graph& g) {
  // A signal [batch, samples, 1] has the rank of token features, but its length is that of a recording.
  std::set<std::string> samples;
  for (const Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kStft && g.value(n.in(0)).shape && g.value(n.in(0)).rank() > 1)
      for (const std::string& name : (*g.value(n.in(0)).shape)[1].symbols()) samples.insert(name);
  NamedDims dims;
  for (ValueId in : g.inputs) {
    const Value& v = g.value(in);
    if (!v.shape) continue;
    const bool whole = is_integer(v.dtype) || v.dtype == DType::kBool;
    for (size_t axis = 0; axis < v.shape->size(); ++axis) {
      for (const std::string& name : (*v.shape)[axis].symbols()) {
        dims.all.insert(name);
        const bool token = whole || (v.shape->size() == 3 && axis == 1 && !samples.count(name));
        (axis == 0 ? dims.leading : token ? dims.tokens : dims.measured).insert(name);
      }
    }
  }
  // Frames may come first: [T, F] that is unsqueezed for a convolution, [T, 1, F] and [T, B, F] of recurrent layers.
  const AxesOfLayers axes = axes_of_layers(g);
  const auto only_in = [](const std::string& name, const std::set<std::string>& in, const std::set<std::string>& out) {
    return in.count(name) && !out.count(name);
  };
  const std::set<std::string> first = dims.leading;
  for (const std::string& name : first) {
    if (!only_in(name, axes.along, axes.batch) || dims.tokens.count(name) || dims.measured.count(name)) continue;
    dims.leading.erase(name);
    dims.tokens.insert(name);
  }
  if (dims.leading.size() == first.size()) return dims;
  const std::set<std::string> behind = dims.tokens;
  for (const std::string& name : behind)
    if (only_in(name, axes.batch, axes.along)) dims.tokens.erase(name), dims.leading.insert(name);
  return dims;
}

// What the user gave as the most of a dim whose tables have `table` rows.
int64_t checked_most(const std::string& name, int64_t most, std::optional<int64_t> table) {
  if (most < 1 || most > INT32_MAX)
    throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) + ": the maximum must be from 1 to " +
                                           std::to_string(INT32_MAX));
  if (table && most > *table)
    throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) + ": the model's position table has room for " +
                                           std::to_string(*table) + "; give at most that");
  if (const int64_t m = multiple_of_dim(name); most % m != 0)
    throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) + ": every size of it is a multiple of " + std::to_string(m) + "; give " +
                                           std::to_string(size_at_least(name, most)));
  return most;
}

// The most of a dim that the user says nothing of; nullopt: none is sensible. text: tokens are those of a text.
std::optional<int64_t> default_most(const NamedDims& dims, const std::string& name, bool text, std::optional<int64_t> table) {
  if (dims.leading.count(name)) {
    const int64_t most = dims.leading == dims.all ? kDefaultRows : kDefaultBatch;
    return table ? std::min(most, *table) : most;
  }
  if (table) return table;
  return text && dims.tokens.count(name) ? std::optional(kDefaultTokens) : std::nullopt;
}

// Ranges of all dims, as asked for or by default.
void set_ranges(const Graph& g, const NamedDims& dims, const TableLimits& limits, const std::map<std::string, int64_t>& requested,
                DimPlan& plan) {
  // Beside audio samples, frames or image sizes, the axis of a mask may be theirs under another name: it has no length of a text.
  const bool text = std::all_of(dims.measured.begin(), dims.measured.end(), [&](const std::string& name) {
    return dims.tokens.count(name) || dims.leading.count(name) || limits.count(name);
  });
  std::string missing;
  for (const std::string& name : dims.all) {
    const auto limit = limits.find(name);
    const auto table = limit == limits.end() ? std::nullopt : std::optional(limit->second);
    const auto asked = requested.find(name);
    const auto most = asked == requested.end() ? default_most(dims, name, text, table) : checked_most(name, asked->second, table);
    if (!most) {
      missing += "\n  --dim " + shell_word(name + "=MAX");
      continue;
    }
    if (*most < 1) throw FatalError(ExitCode::kMalformed, "no value of dim '" + name + "' keeps the model's table lookups in range");
    plan.range[name] = {static_cast<int32_t>(multiple_of_dim(name)), static_cast<int32_t>(size_at_most(name, *most))};
    if (table) plan.table_limit[name] = *table;
    if (const auto rounds = g.unrolled_dims.find(name); rounds != g.unrolled_dims.end())
      plan.table_limit[name] = table ? std::min(rounds->second, *table) : rounds->second;
  }
  if (!missing.empty())
    throw FatalError(ExitCode::kUsage,
                     "the model has sizes without a sensible default maximum (axes that are as long as each other get the same); "
                     "add to the command:" +
                         missing + "\n(or --fix NAME=N where the size is always the same)");
}

void check_that_dims_exist(const std::map<std::string, int64_t>& requested, const std::set<std::string>& all) {
  for (const auto& [name, most] : requested) {
    if (all.count(name)) continue;
    std::string known;
    for (const std::string& n : all) known += (known.empty() ? "" : ", ") + n;
    throw FatalError(ExitCode::kUsage, "--dim " + name + ": the model has no such dim" +
                                           (known.empty() ? "; all its sizes are fixed" : "; it has " + known));
  }
}

// Ranges in which the sizes inside the model fit together.
void narrow_ranges(const Graph& g, const std::map<std::string, int64_t>& requested, DimPlan& plan) {
  const auto asked = plan.range;
  narrow_to_equalities(g, plan.range);
  for (const auto& [name, range] : plan.range) {
    if (range.second < asked.at(name).second && requested.count(name))
      throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(asked.at(name).second) +
                                             ": the sizes inside the model fit together up to " + std::to_string(range.second) +
                                             "; give at most that");
    if (range.first > multiple_of_dim(name)) plan.least[name] = range.first;
  }
}

}  // namespace

DimPlan plan_dims(const Graph& g, const std::map<std::string, int64_t>& given, const std::vector<KeptState>& states) {
  if (g.inputs.size() > ert::limits::kMaxInputs)  // before each of them is looked at beside all sizes
    throw FatalError(ExitCode::kLimit, fmt::format("the model has {} inputs, the runtime takes {}", g.inputs.size(), ert::limits::kMaxInputs));
  const std::map<std::string, int64_t> requested = by_kept_names(g, given);
  DimPlan plan;
  TableLimits limits;
  std::map<ValueId, int64_t> rows_of_input;
  limit_by_slices(g, limits);
  limit_by_lookups(g, limits, rows_of_input, plan.part_rows);
  for (const auto& [input, rows] : rows_of_input) {
    const auto highest = static_cast<int32_t>(rows - 1);
    plan.input_range[input] = {-highest - 1, highest};
  }
  const NamedDims dims = named_dims(g);
  set_ranges(g, dims, limits, requested, plan);
  check_that_dims_exist(requested, dims.all);
  for (const auto& [name, kept] : g.same_dims)
    if (dims.all.count(kept)) plan.also_called[kept].push_back(name);
  narrow_ranges(g, requested, plan);
  find_maxima(g, requested, plan);
  find_minima(g, plan);
  check_input_sizes(g, plan);
  plan.indexed_sizes = indexed_axes(g);
  plan.counted_sizes = counted_axes(g);
  plan.levels = hidden_state_levels(g);
  plan.kept_states = states;
  plan.kinds = input_kinds(g, states);
  // Ids in floats, as Keras has them, are no signal.
  for (const auto& [input, rows] : rows_of_input)
    if (const auto kind = plan.kinds.find(input); kind != plan.kinds.end() && kind->second.kind != InputKind::kState) plan.kinds.erase(kind);
  return plan;
}

}  // namespace edgeconv
