// See loop_rounds.h.
#include "convert/infer/loop_rounds.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "convert/infer/infer.h"
#include "convert/infer/inline_bodies.h"
#include "convert/infer/loop_condition.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int64_t kMostTried = 1 << 18;  // sizes of a dim

void make_known(Graph& g, ValueId v, const std::optional<Tensor>& contents) {
  Value& x = g.value(v);
  x.constant.reset();
  x.elements.reset();
  if (!contents) return;
  x.dtype = contents->dtype();
  x.shape = Shape(contents->dims().begin(), contents->dims().end());
  x.constant = contents;
}

// Narrow integers wrap: a count of -1 is 255 rounds.
bool keeps_numbers(const Node& cast) {
  const DType to = cast.as<CastAttrs>().to;
  return to == DType::kInt32 || to == DType::kInt64 || to == DType::kFloat || to == DType::kDouble;
}

// A constant that may bound a count, rounded up.
std::optional<int64_t> small_number(const Graph& g, ValueId number) {
  const Node* p = g.producer(number);
  const Value& v = g.value(p && p->kind == OpKind::kCast && keeps_numbers(*p) ? p->in(0) : number);
  if (!v.constant || v.constant->elements() != 1) return {};
  const float n = v.constant->to_float()[0];
  return std::fabs(n) <= kMaxNodes ? std::optional(static_cast<int64_t>(std::ceil(n))) : std::nullopt;
}

// The operands of n that say where something is read or written.
std::vector<ValueId> indices(const Node& n) {
  switch (n.kind) {
    case OpKind::kGather:
    case OpKind::kGatherElements:
    case OpKind::kGatherND:
    case OpKind::kScatterElements:
    case OpKind::kScatterND: return {n.in(1)};
    case OpKind::kEmbedding: return {n.in(0)};
    case OpKind::kSlice: return {n.inputs.begin() + 1, n.inputs.end()};
    default: return {};
  }
}

bool comes_of(const Graph& body, const std::vector<ValueId>& from, const std::set<ValueId>& sources) {
  std::set<ValueId> seen;
  std::vector<ValueId> open = from;
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    if (v == kNone || !seen.insert(v).second) continue;
    if (sources.count(v)) return true;
    if (const Node* p = body.producer(v)) open.insert(open.end(), p->inputs.begin(), p->inputs.end());
  }
  return false;
}

}  // namespace

bool may_run_on(const Graph& g, const Node& n, const Graph& body, const std::vector<std::optional<int64_t>>& counters, bool strictly) {
  Graph trial = body;
  trial.fold_budget = g.fold_budget;
  std::set<ValueId> states;
  for (size_t i = 2; i < n.inputs.size() && i < trial.inputs.size(); ++i) {
    if (n.in(i) == kNone) continue;
    Value& x = trial.value(trial.inputs[i]);
    x.shape = g.value(n.in(i)).shape;
    x.dtype = g.value(n.in(i)).dtype;
    if (i < counters.size() + 2 && !counters[i - 2]) states.insert(trial.inputs[i]);
  }
  Diagnostics ignored;
  infer(trial, ignored);
  for (size_t i = 0; i < counters.size(); ++i) {
    const std::optional<Shape>&before = trial.value(trial.inputs[i + 2]).shape, &after = trial.value(trial.outputs[i + 1]).shape;
    if (before && after ? *before != *after : strictly) return false;
  }
  return !strictly || std::none_of(body.nodes.begin(), body.nodes.end(), [&](const Node& node) { return !node.dead && comes_of(body, indices(node), states); });
}

int64_t rounds_that_fit(const Graph& body) { return kMaxNodes / std::max<int64_t>(1, static_cast<int64_t>(body.nodes.size())); }

std::optional<DimExpr> number_of(const Graph& g, ValueId v) {
  if (v == kNone || !g.value(v).elements || g.value(v).elements->size() != 1) return {};
  return g.value(v).elements->front();
}

std::optional<int64_t> trips_by_condition(Graph& g, const Node& n, const Graph& body, size_t carried,
                                          std::optional<int64_t> most) {
  std::vector<std::optional<Tensor>> state(carried);
  for (size_t i = 0; i < carried; ++i)
    if (n.in(i + 2) != kNone) state[i] = g.value(n.in(i + 2)).constant;
  const int64_t limit = std::min(most.value_or(kMaxTrips), std::min(kMaxTrips, rounds_that_fit(body)));
  for (int64_t t = 0; t < limit; ++t) {
    Graph trial = body;
    trial.fold_budget = g.fold_budget;
    make_known(trial, trial.inputs[0], Tensor::scalar(t));
    make_known(trial, trial.inputs[1], Tensor::of<uint8_t>(DType::kBool, {}, {1}));
    for (size_t i = 0; i < carried; ++i)
      if (state[i]) make_known(trial, trial.inputs[i + 2], state[i]);
    Diagnostics ignored;
    infer(trial, ignored);
    g.fold_budget = trial.fold_budget;
    const auto again = known_scalar(trial, trial.outputs[0]);
    if (!again) return {};
    if (*again == 0) return t + 1;
    for (size_t i = 0; i < carried; ++i) state[i] = trial.value(trial.outputs[i + 1]).constant;
  }
  return most && *most <= limit ? most : std::nullopt;
}

std::optional<int64_t> most_trips(const Graph& g, ValueId count) {
  const auto e = number_of(g, count);
  if (!e) return {};
  const std::vector<std::string> dims = e->symbols();
  if (dims.size() != 1) return {};
  const auto most = g.most_dims.find(dims[0]);
  if (most == g.most_dims.end() || most->second > kMostTried) return {};
  int64_t rounds = 0;
  for (int64_t size = 1; size <= most->second; ++size) {
    const auto at = e->evaluate({{dims[0], size}});
    if (!at) return {};
    rounds = std::max(rounds, *at);
  }
  return rounds;
}

std::optional<int64_t> bound_of_count(const Graph& g, ValueId count) {
  constexpr int kMostBounds = 8;
  int64_t least = INT64_MIN;  // the lower bound of a Clip
  for (int step = 0; step < kMostBounds; ++step) {
    const Node* p = g.producer(count);
    if (!p) return {};
    if (only_reshapes(p->kind) || (p->kind == OpKind::kCast && keeps_numbers(*p)) || p->kind == OpKind::kIdentity) {
      count = p->in(0);
      continue;
    }
    if (p->kind != OpKind::kBinary) return {};
    const auto kind = p->as<BinaryAttrs>().kind;
    const size_t side = small_number(g, p->in(1)) ? 1 : 0;
    const auto bound = small_number(g, p->in(side));
    if (!bound || (kind != binary::kMin && kind != binary::kMax)) return {};
    if (kind == binary::kMin) return std::max(least, *bound);
    least = std::max(least, *bound);
    count = p->in(1 - side);
  }
  return {};
}

bool count_rounds_by_condition(Graph& g, NodeId id) {
  const Node& n = g.node(id);
  const auto& a = n.as<SubgraphAttrs>();
  const auto far = known_scalar(g, n.in(0));
  if (a.bodies.size() != 1 || a.carried < 0 || (n.in(0) != kNone && far.value_or(0) < INT32_MAX)) return false;
  const Graph& body = *a.bodies[0];
  const auto carried = static_cast<size_t>(a.carried);
  if (runs_to_the_end(body) || body.inputs.size() != n.inputs.size() || body.outputs.size() != n.outputs.size() + 1 || carried + 2 > n.inputs.size())
    return false;
  const auto count = rounds_by_condition(g, n.inputs, body, carried);
  if (!count || count->symbols().size() != 1 || !lets_first_round_run(g, n.in(1), *count)) return false;
  const ValueId v = g.add_value(n.origin.node + "/count", DType::kInt64, Shape{});
  g.value(v).elements = std::vector<DimExpr>{*count};
  g.node(id).inputs[0] = v;
  return true;
}

}  // namespace edgeconv
