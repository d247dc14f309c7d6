// See loop_condition.h.
#include "convert/infer/loop_condition.h"

#include <algorithm>
#include <optional>

#include "convert/infer/bounds.h"
#include "convert/infer/infer.h"
#include "convert/infer/inline_bodies.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int kMostParts = 64;  // of a condition: And of one value twice, again and again, would double them
constexpr int64_t kFarCounters = int64_t{1} << 40;

std::optional<DimExpr> number(const Graph& g, ValueId cast) {
  const ValueId v = before_casts(g, cast);
  const Value& x = g.value(v);
  if (x.constant && x.constant->elements() == 1) {
    const float n = x.constant->to_float()[0];
    return n == static_cast<float>(static_cast<int64_t>(n)) ? std::optional(DimExpr(static_cast<int64_t>(n))) : std::nullopt;
  }
  return x.elements && x.elements->size() == 1 ? std::optional(x.elements->front()) : std::nullopt;
}

void know(Graph& g, ValueId v, const std::optional<DimExpr>& e) {
  Value& x = g.value(v);
  x.constant.reset();
  x.elements.reset();
  if (!e) return;
  x.elements = std::vector<DimExpr>{*e};
  x.dtype = x.dtype == DType::kUndefined ? DType::kInt64 : x.dtype;
  if (!x.shape) x.shape = Shape{};
}

struct Comparison {
  DimExpr less, more;  // less < more
};

// What `condition` is an And of, besides true constants; nullopt where it is of anything else.
std::optional<std::vector<Comparison>> comparisons(const Graph& g, ValueId condition) {
  std::vector<Comparison> found;
  std::vector<ValueId> parts{condition};
  for (int seen = 0; !parts.empty(); ++seen) {
    if (seen == kMostParts) return {};
    const ValueId v = parts.back();
    parts.pop_back();
    if (const auto known = known_scalar(g, v)) {
      if (*known == 0) return {};
      continue;
    }
    const Node* p = g.producer(before_casts(g, v));
    if (!p || p->kind != OpKind::kBinary) return {};
    const auto kind = p->as<BinaryAttrs>().kind;
    if (kind == binary::kAnd) {
      parts.insert(parts.end(), {p->in(0), p->in(1)});
      continue;
    }
    const auto a = number(g, p->in(0)), b = number(g, p->in(1));
    if (!a || !b || (kind != binary::kLess && kind != binary::kGreater)) return {};
    found.push_back(kind == binary::kLess ? Comparison{*a, *b} : Comparison{*b, *a});
  }
  return found;
}

// The body in a round of unknown number, inferred; `counters` keeps those that are. A counter may count by another one: those that turn out
// to be none are taken back until all are.
Graph count_up(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, std::vector<std::optional<int64_t>>& counters) {
  for (size_t i = 0; i < counters.size(); ++i) {
    const ValueId start = inputs[i + 2];
    if (start == kNone || is_float(g.value(start).dtype) || g.value(start).rank() != 0) continue;
    if (before_casts(body, body.outputs[i + 1]) != body.inputs[i + 2]) counters[i] = known_scalar(g, start);
  }
  while (true) {
    Graph trial = body_in_round(g, inputs, body, counters);
    Diagnostics ignored;
    infer(trial, ignored);
    bool all = true;
    for (size_t i = 0; i < counters.size(); ++i) {
      if (!counters[i] || number(trial, trial.outputs[i + 1]) == DimExpr(*counters[i]) + this_round() + DimExpr(1)) continue;
      counters[i].reset();
      all = false;
    }
    if (all) return trial;
  }
}

// Whether `condition` is true wherever `rounds`, an expression of dims, is positive: a comparison of two numbers that are `rounds` apart, or farther by a
// constant, an And of such, or a true constant.
bool holds_while_positive(const Graph& g, ValueId condition, const DimExpr& rounds) {
  const auto parts = comparisons(g, condition);
  return parts && std::all_of(parts->begin(), parts->end(), [&](const Comparison& c) {
           return (c.more - c.less - rounds).constant().value_or(-1) >= 0;
         });
}

}  // namespace

bool lets_first_round_run(const Graph& g, ValueId condition, const std::optional<DimExpr>& rounds) {
  return condition == kNone || known_scalar(g, condition).value_or(0) != 0 || (rounds && holds_while_positive(g, condition, *rounds));
}

// Dims are at least 1, rounds begin at 0.
DimExpr this_round() { return DimExpr::symbol("round of a loop") - DimExpr(1); }

Graph body_in_round(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body,
                    const std::vector<std::optional<int64_t>>& counters) {
  Graph trial = body;
  trial.fold_budget = g.fold_budget;
  know(trial, trial.inputs[0], this_round());
  for (size_t i = 0; i < counters.size(); ++i) {
    const ValueId start = inputs[i + 2];
    const bool handed_on = start != kNone && !is_float(g.value(start).dtype) &&
                           before_casts(body, body.outputs[i + 1]) == body.inputs[i + 2];
    know(trial, trial.inputs[i + 2],
         counters[i] ? std::optional(DimExpr(*counters[i]) + this_round()) : handed_on ? number(g, start) : std::nullopt);
  }
  return trial;
}

CountedRounds counted_rounds(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, size_t carried,
                             const DimExpr& count) {
  CountedRounds r{std::vector<std::optional<int64_t>>(carried), false};
  const Graph trial = count_up(g, inputs, body, r.counters);
  r.condition_holds = holds_while_positive(trial, trial.outputs[0], count - this_round() - DimExpr(1));
  return r;
}

std::optional<DimExpr> rounds_by_condition(const Graph& g, const std::vector<ValueId>& inputs, const Graph& body, size_t carried) {
  std::vector<std::optional<int64_t>> counters(carried);
  const Graph trial = count_up(g, inputs, body, counters);
  const auto parts = comparisons(trial, trial.outputs[0]);
  if (!parts) return {};
  std::optional<int64_t> least;
  for (const Comparison& part : *parts) {
    // first + round < limit: false for the first time behind round limit - first, the rounds being counted from 0.
    const auto first = (part.less - this_round()).constant(), limit = part.more.constant();
    if (!first || *first < -kFarCounters || *first > kFarCounters) return {};
    if (!limit) {
      const DimExpr rounds = part.more - DimExpr(*first) + DimExpr(1);
      const std::vector<std::string> symbols = rounds.symbols();
      if (std::find(symbols.begin(), symbols.end(), this_round().symbols()[0]) != symbols.end()) return {};  // the limit moves as well
      const auto fewest = lower_bound(rounds, g.least_dims);
      return parts->size() == 1 && fewest && *fewest >= 1 ? std::optional(rounds) : std::nullopt;
    }
    if (*limit > kFarCounters || *limit < -kFarCounters) return {};
    least = std::min(least.value_or(kFarCounters), std::max<int64_t>(1, *limit - *first + 1));
  }
  return least ? std::optional(DimExpr(*least)) : std::nullopt;
}

}  // namespace edgeconv
