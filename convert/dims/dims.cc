// The range of every named dim. Limits that the graph itself sets: a position table of P rows sliced to the sequence allows at most P
// tokens, and ids that index a table of V rows must lie in [-V, V): in ONNX Gather negative ones count from the end.
#include "convert/dims/dims.h"

#include <algorithm>
#include <set>

#include "convert/dims/fitting_sizes.h"
#include "convert/dims/hidden_states.h"
#include "convert/dims/index_origin.h"
#include "convert/dims/size_equalities.h"
#include "convert/interp/work.h"
#include "convert/passes/select.h"

namespace edgeconv {

namespace {

constexpr int64_t kDefaultBatch = 8, kDefaultTokens = 512;
// Where the leading axis is the only dynamic one (an MLP), a row is as cheap as a token.
constexpr int64_t kDefaultRows = 64;

// limit[d]: the largest value of dim d for which every slice and lookup stays inside its table.
void limit_from_slices(const Graph& g, std::map<std::string, int64_t>& limit) {
  const auto lower_limit = [&](const DimExpr& size, int64_t rows) {
    // size = d or d + c, linear in one dim.
    const auto names = size.symbols();
    if (names.size() != 1) return;
    const auto at0 = size.evaluate({{names[0], 0}}), at1 = size.evaluate({{names[0], 1}}), at9 = size.evaluate({{names[0], 9}});
    if (!at0 || !at1 || !at9 || *at1 - *at0 != 1 || *at9 - *at0 != 9) return;
    auto [it, fresh] = limit.try_emplace(names[0], rows - *at0);
    if (!fresh) it->second = std::min(it->second, rows - *at0);
  };
  for (const Node& n : g.nodes) {
    if (n.dead || n.inputs.empty() || n.in(0) == kNone) continue;
    const Value& data = g.value(n.in(0));
    if (n.kind == OpKind::kSlice && data.constant && data.shape && g.value(n.outputs[0]).shape) {
      for (size_t axis = 0; axis < data.shape->size(); ++axis) {
        const auto rows = (*data.shape)[axis].constant();
        const DimExpr& size = (*g.value(n.outputs[0]).shape)[axis];
        if (rows && !size.is_constant()) lower_limit(size, *rows);
      }
    }
  }
}

// Rows of the table that `ids` looks up, and whether they are computed (cumulative sums of a mask) rather than given.
// Ids that are a part of an input, such as one coordinate of boxes, say nothing of its other parts: they go to `rows_of_part`.
void limit_from_lookups(const Graph& g, std::map<std::string, int64_t>& limit, std::map<ValueId, int64_t>& rows_of_input,
                        std::map<ValueId, int64_t>& rows_of_part) {
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    ValueId ids = kNone, table = kNone;
    if (n.kind == OpKind::kGather && n.as<AxisAttrs>().axis == 0) {
      table = n.in(0);
      ids = n.in(1);
    }
    if (n.kind == OpKind::kEmbedding) {
      ids = n.in(0);
      table = n.in(1);
    }
    if (ids == kNone || !g.value(ids).shape || !g.value(table).constant || !g.value(table).shape || g.value(table).shape->empty()) continue;
    const int64_t rows = (*g.value(table).shape)[0].constant().value_or(INT32_MAX);
    const ValueId counted = ids_before_wrap(g, ids, rows);
    const IndexOrigin o = index_origin(g, counted == kNone ? ids : counted);
    if (o.computed) {
      const Shape& shape = *g.value(ids).shape;
      if (shape.empty() || !shape.back().is_symbol()) continue;
      // CumSum positions start at 1 above the padding id, Range positions at 0.
      const int64_t most = rows - o.offset - (g.producer(o.value)->kind == OpKind::kCumSum ? 1 : 0);
      auto [it, fresh] = limit.try_emplace(shape.back().symbol_name(), most);
      if (!fresh) it->second = std::min(it->second, most);
    } else if (std::find(g.inputs.begin(), g.inputs.end(), o.value) != g.inputs.end() && o.offset == 0 &&
               !(o.scaled && is_float(g.value(o.value).dtype))) {
      auto [it, fresh] = (o.part ? rows_of_part : rows_of_input).try_emplace(o.value, rows);
      if (!fresh) it->second = std::min(it->second, rows);
    }
  }
}

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

// Before passes and references make anything as long as an axis of an input.
void check_input_sizes(const Graph& g, const DimPlan& plan) {
  DimSizes most;
  std::string at;
  for (const auto& [name, range] : plan.range) {
    most[name] = range.second;
    at += (at.empty() ? " at the maximum dims (" : " ") + name + "=" + std::to_string(range.second);
  }
  const auto users = g.users();
  for (const ValueId v : g.inputs)
    if (!users[static_cast<size_t>(v)].empty() && g.value(v).shape && elements_at(*g.value(v).shape, most) > INT32_MAX)
      throw FatalError(ExitCode::kLimit, "input '" + printable(g.value(v).name) + "' is " + shape_str(*g.value(v).shape) + ", more than 2^31 - 1 elements" +
                                             (at.empty() ? "; export it with smaller sizes" : at + "); lower them with --dim NAME=MAX"));
}

}  // namespace

DimPlan plan_dims(const Graph& g, const std::map<std::string, int64_t>& given, const std::vector<KeptState>& states) {
  const std::map<std::string, int64_t> requested = by_kept_names(g, given);
  std::map<std::string, int64_t> limit;
  std::map<ValueId, int64_t> rows_of_input;
  limit_from_slices(g, limit);
  DimPlan plan;
  limit_from_lookups(g, limit, rows_of_input, plan.part_rows);
  for (const auto& [input, rows] : rows_of_input) {
    const auto highest = static_cast<int32_t>(rows - 1);
    plan.input_range[input] = {-highest - 1, highest};
  }

  // A signal [batch, samples, 1] has the rank of token features, but its length is that of a recording.
  std::set<std::string> samples;
  for (const Node& n : g.nodes)
    if (!n.dead && n.kind == OpKind::kStft && g.value(n.in(0)).shape && g.value(n.in(0)).rank() > 1)
      for (const std::string& name : (*g.value(n.in(0)).shape)[1].symbols()) samples.insert(name);
  std::set<std::string> leading, tokens, measured, all;
  for (ValueId in : g.inputs) {
    const Value& v = g.value(in);
    if (!v.shape) continue;
    for (size_t axis = 0; axis < v.shape->size(); ++axis) {
      for (const std::string& name : (*v.shape)[axis].symbols()) {
        all.insert(name);
        if (axis == 0) leading.insert(name);
        // Token axes: the second axis of ids and masks, and of [batch, time, features].
        if (axis > 0 &&
            (is_integer(v.dtype) || v.dtype == DType::kBool || (v.shape->size() == 3 && axis == 1 && !samples.count(name))))
          tokens.insert(name);
        else if (axis > 0)
          measured.insert(name);
      }
    }
  }
  // Beside audio samples, frames or image sizes, the axis of a mask may be theirs under another name: it has no length of a text.
  const bool text = std::all_of(measured.begin(), measured.end(), [&](const std::string& name) {
    return tokens.count(name) || leading.count(name) || limit.count(name);
  });
  std::string missing;
  for (const std::string& name : all) {
    const auto table = limit.find(name);
    int64_t most = 0;
    if (const auto it = requested.find(name); it != requested.end()) {
      most = it->second;
      if (most < 1 || most > INT32_MAX)
        throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) + ": the maximum must be from 1 to " +
                                               std::to_string(INT32_MAX));
      if (table != limit.end() && most > table->second)
        throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(most) +
                                               ": the model's position table has room for " + std::to_string(table->second) +
                                               "; give at most that");
    } else if (leading.count(name)) {
      most = leading == all ? kDefaultRows : kDefaultBatch;
      if (table != limit.end()) most = std::min(most, table->second);
    } else if (tokens.count(name) && (text || table != limit.end())) {
      most = table != limit.end() ? table->second : kDefaultTokens;
    } else if (table != limit.end()) {
      most = table->second;
    } else {
      missing += "\n  --dim " + name + "=MAX";
      continue;
    }
    if (most < 1)
      throw FatalError(ExitCode::kMalformed, "no value of dim '" + name + "' keeps the model's table lookups in range");
    plan.range[name] = {1, static_cast<int32_t>(most)};
    if (table != limit.end()) plan.table_limit[name] = table->second;
    if (const auto rounds = g.unrolled_dims.find(name); rounds != g.unrolled_dims.end())
      plan.table_limit[name] = table == limit.end() ? rounds->second : std::min(rounds->second, table->second);
  }
  for (const auto& [name, kept] : g.same_dims)
    if (all.count(kept)) plan.also_called[kept].push_back(name);
  if (!missing.empty())
    throw FatalError(ExitCode::kUsage,
                     "the model has sizes without a sensible default maximum (axes that are as long as each other get the same); "
                     "add to the command:" +
                         missing + "\n(or --fix NAME=N where the size is always the same)");
  for (const auto& [name, most] : requested)
    if (!all.count(name)) {
      std::string known;
      for (const std::string& n : all) known += (known.empty() ? "" : ", ") + n;
      throw FatalError(ExitCode::kUsage, "--dim " + name + ": the model has no such dim" +
                                             (known.empty() ? "; all its sizes are fixed" : "; it has " + known));
    }
  const auto asked = plan.range;
  narrow_to_equalities(g, plan.range);
  for (const auto& [name, range] : plan.range) {
    if (range.second < asked.at(name).second && requested.count(name))
      throw FatalError(ExitCode::kUsage, "--dim " + name + "=" + std::to_string(asked.at(name).second) +
                                             ": the sizes inside the model fit together up to " + std::to_string(range.second) +
                                             "; give at most that");
    if (range.first > 1) plan.least[name] = range.first;
  }
  find_maxima(g, requested, plan);
  find_minima(g, plan);
  check_input_sizes(g, plan);
  plan.indexed_sizes = indexed_axes(g);
  plan.levels = hidden_state_levels(g);
  plan.kinds = input_kinds(g, states);
  // Ids in floats, as Keras has them, are no signal.
  for (const auto& [input, rows] : rows_of_input) plan.kinds.erase(input);
  return plan;
}

}  // namespace edgeconv
