// Inlining of decided branches and loops: body values and nodes are copied into the outer graph.
#include "convert/infer/inline_bodies.h"

#include <algorithm>
#include <map>
#include <optional>

#include "convert/infer/infer.h"
#include "convert/infer/loop_condition.h"
#include "convert/infer/loop_rounds.h"
#include "convert/infer/recurrent_loop.h"

namespace edgeconv {

std::optional<int64_t> known_scalar(const Graph& g, ValueId v) {
  if (v == kNone) return std::nullopt;
  const Value& x = g.value(v);
  if (x.constant && x.constant->elements() == 1 && !is_float(x.dtype)) return x.constant->to_int64()[0];
  if (x.elements && x.elements->size() == 1) return x.elements->front().constant();
  return std::nullopt;
}

std::vector<ValueId> copy_body(Graph& g, const Graph& body, const std::vector<ValueId>& inputs, const std::string& prefix) {
  std::map<ValueId, ValueId> map;
  for (size_t i = 0; i < body.inputs.size(); ++i) map[body.inputs[i]] = inputs[i];
  const auto outer = [&](ValueId v) {
    if (v == kNone) return kNone;
    const auto at = map.find(v);
    if (at != map.end()) return at->second;
    Value copy = body.value(v);
    copy.name = prefix + copy.name;
    copy.producer = kNone;
    g.values.push_back(std::move(copy));
    const auto id = static_cast<ValueId>(g.values.size() - 1);
    map[v] = id;
    return id;
  };
  for (const Node& n : body.nodes) {
    if (n.dead) continue;
    std::vector<ValueId> in, out;
    for (ValueId v : n.inputs) in.push_back(outer(v));
    for (ValueId v : n.outputs) out.push_back(outer(v));
    g.add_node_with_outputs(n.kind, std::move(in), std::move(out), n.attrs, n.origin);
  }
  for (const Problem& p : body.import_problems)  // once, however often a loop is unrolled
    if (std::none_of(g.import_problems.begin(), g.import_problems.end(),
                     [&](const Problem& q) { return q.op == p.op && q.where == p.where && q.reason == p.reason; }))
      g.import_problems.push_back(p);
  std::vector<ValueId> r;
  for (ValueId v : body.outputs) r.push_back(outer(v));
  return r;
}

bool runs_to_the_end(const Graph& body) {
  const ValueId v = body.outputs[0];
  if (v == body.inputs[1]) return true;
  const Node* p = body.producer(v);
  if (p && p->kind == OpKind::kIdentity && p->in(0) == body.inputs[1]) return true;
  const auto known = known_scalar(body, v);
  return known && *known != 0;
}

namespace {

namespace binary = ert::params::binary;

// The node's outputs keep their identity and names: they are bound by Identity nodes.
void bind_outputs(Graph& g, NodeId n, const std::vector<ValueId>& results, size_t first) {
  const std::vector<ValueId> outputs = g.node(n).outputs;
  const Origin origin = g.node(n).origin;
  g.node(n).dead = true;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o] != kNone) g.add_node_with_outputs(OpKind::kIdentity, {results[o + first]}, {outputs[o]}, {}, origin);
  }
}

// The body that runs; nothing where the condition decides at run time.
std::optional<size_t> decided_branch(const Graph& g, const Node& n) {
  const auto condition = known_scalar(g, n.in(0));
  return condition ? std::optional<size_t>(*condition != 0 ? 0 : 1) : std::nullopt;
}

bool inline_if(Graph& g, NodeId n, std::optional<size_t> branch) {
  const auto bodies = g.node(n).as<SubgraphAttrs>().bodies;
  if (!branch || bodies.size() != 2) return false;
  const auto& body = bodies[*branch];
  const std::vector<ValueId> captures(g.node(n).inputs.begin() + 1, g.node(n).inputs.end());
  if (body->inputs.size() != captures.size() || body->outputs.size() != g.node(n).outputs.size()) return false;
  const std::string prefix = g.node(n).origin.node + "/";
  bind_outputs(g, n, copy_body(g, *body, captures, prefix), 0);
  return true;
}

// A count may be given as a tensor of one element.
ValueId scalar_of(Graph& g, ValueId v, const Origin& origin) {
  if (g.value(v).rank() == 0) return v;
  return g.add_node(OpKind::kReshape, {v, g.add_constant(origin.node + "/shape", Tensor::ints({}))}, ReshapeAttrs{}, origin);
}

// The rounds of a loop whose count is known only at run time: those behind the last leave what is carried as it is. They work on its part of what is
// scanned, so that no index leaves it.
class OptionalRounds {
 public:
  OptionalRounds(Graph& g, const Origin& origin, ValueId count, DType count_type)
      : g_(g), origin_(origin), count_(count), type_(count_type), last_(binary(binary::kSub, count, scalar(1))) {}

  ValueId iteration(int64_t t) const { return binary(binary::kMax, binary(binary::kMin, scalar(t), last_), scalar(0)); }
  // Of what counts from `start` on.
  ValueId counter(int64_t t, int64_t start, DType type) const {
    return g_.add_node(OpKind::kCast, {binary(binary::kAdd, iteration(t), scalar(start))}, CastAttrs{type}, origin_);
  }
  ValueId runs(int64_t t) const { return binary(binary::kLess, scalar(t), count_); }
  ValueId chosen(ValueId runs, ValueId now, ValueId before) const {
    return g_.add_node(OpKind::kWhere, {runs, now, before}, {}, origin_);
  }
  // The parts of the rounds that were run.
  ValueId first(ValueId all) const {
    const ValueId rounds = g_.add_node(OpKind::kRange, {scalar(0), count_, scalar(1)}, {}, origin_);
    return g_.add_node(OpKind::kGather, {all, rounds}, AxisAttrs{0}, origin_);
  }

 private:
  ValueId scalar(int64_t v) const { return g_.add_constant(origin_.node + "/round", Tensor::scalar(v).cast(type_)); }
  ValueId binary(binary::Kind kind, ValueId a, ValueId b) const {
    return g_.add_node(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, origin_);
  }

  Graph& g_;
  const Origin& origin_;
  ValueId count_;
  DType type_;
  ValueId last_;
};

bool inputs_are_known(const Graph& g, const Node& n) {
  return std::all_of(n.inputs.begin(), n.inputs.end(),
                     [&](ValueId v) { return v == kNone || (g.value(v).shape && g.value(v).dtype != DType::kUndefined); });
}

bool inline_loop(Graph& g, NodeId n) {
  const SubgraphAttrs a = g.node(n).as<SubgraphAttrs>();
  if (a.bodies.size() != 1) return false;
  const std::optional<DimExpr> count = number_of(g, g.node(n).in(0));
  if (!lets_first_round_run(g, g.node(n).in(1), count)) return false;
  const Graph& body = *a.bodies[0];
  const std::vector<ValueId> inputs = g.node(n).inputs;
  const std::vector<ValueId> outputs = g.node(n).outputs;
  if (body.inputs.size() != inputs.size() || body.outputs.size() != outputs.size() + 1) return false;
  const size_t carried = a.carried >= 0 ? static_cast<size_t>(a.carried) : inputs.size() - 2;
  if (inputs.size() < carried + 2) return false;
  auto trips = known_scalar(g, inputs[0]);
  const bool optional = inputs[0] != kNone && !trips;
  CountedRounds counted{};
  if (optional && count) {
    counted = counted_rounds(g, inputs, body, carried, *count);
    if (!runs_to_the_end(body) && !counted.condition_holds) return false;
    if (!may_run_on(g, g.node(n), body, counted.counters, false)) return false;
    trips = most_trips(g, inputs[0]);
  } else if (optional) {
    // What is stacked would have as many rows as the data say.
    if (!runs_to_the_end(body) || carried < outputs.size() || !is_integer(g.value(inputs[0]).dtype)) return false;
    counted = counted_rounds(g, inputs, body, carried, DimExpr(0));
    if (!may_run_on(g, g.node(n), body, counted.counters, true)) return false;
    trips = bound_of_count(g, inputs[0]);
  }
  if (inputs[0] != kNone && (!trips || *trips < 0)) return false;
  if (!optional && !runs_to_the_end(body)) trips = trips_by_condition(g, g.node(n), body, carried, trips);
  if (!trips || *trips > kMaxTrips) return false;
  if (*trips > rounds_that_fit(body) || static_cast<int64_t>(g.nodes.size()) > kMaxNodes)
    throw FatalError(ExitCode::kLimit, "Loop '" + g.node(n).origin.node + "': " + std::to_string(*trips) + " rounds of " +
                                           std::to_string(body.nodes.size()) + " operators make more than " +
                                           std::to_string(kMaxNodes) +
                                           " when they are unrolled; export with fewer rounds, or compute all of them at once");
  if (carried > outputs.size() || (*trips == 0 && carried < outputs.size())) return false;

  const Origin origin = g.node(n).origin;
  const ValueId yes = g.add_constant(origin.node + "/true", Tensor::of<uint8_t>(DType::kBool, {}, {1}));
  std::vector<ValueId> state(inputs.begin() + 2, inputs.begin() + 2 + static_cast<std::ptrdiff_t>(carried));
  std::vector<std::vector<ValueId>> scans(outputs.size() - carried);
  const ValueId axis = g.add_constant(origin.node + "/axis", Tensor::ints({0}));
  std::optional<OptionalRounds> rounds;
  if (optional && count) {
    const std::string dim = g.value(inputs[0]).elements->front().symbols().front();
    g.unrolled_dims[dim] = g.most_dims.at(dim);
  }
  const DType count_type = optional ? g.value(inputs[0]).dtype : DType::kUndefined;  // before its value moves
  if (optional) rounds.emplace(g, origin, scalar_of(g, inputs[0], origin), count_type);
  for (int64_t t = 0; t < *trips; ++t) {
    const std::string prefix = origin.node + "/" + std::to_string(t) + "/";
    std::vector<ValueId> in{rounds ? rounds->iteration(t) : g.add_constant(prefix + "iteration", Tensor::scalar(t)), yes};
    in.insert(in.end(), state.begin(), state.end());
    for (size_t i = 0; rounds && i < carried; ++i)
      if (counted.counters[i]) in[i + 2] = rounds->counter(t, *counted.counters[i], g.value(inputs[i + 2]).dtype);
    in.insert(in.end(), inputs.begin() + 2 + static_cast<std::ptrdiff_t>(carried), inputs.end());
    const std::vector<ValueId> out = copy_body(g, body, in, prefix);
    const ValueId runs = rounds && carried > 0 ? rounds->runs(t) : kNone;
    for (size_t i = 0; i < carried; ++i) state[i] = rounds ? rounds->chosen(runs, out[i + 1], state[i]) : out[i + 1];
    for (size_t i = 0; i < scans.size(); ++i)
      scans[i].push_back(g.add_node(OpKind::kUnsqueeze, {out[1 + carried + i], axis}, AxesAttrs{{0}}, origin));
  }
  for (const auto& s : scans) {
    const ValueId all = g.add_node(OpKind::kConcat, s, AxisAttrs{0}, origin);
    state.push_back(rounds ? rounds->first(all) : all);
  }
  bind_outputs(g, n, state, 0);
  return true;
}

}  // namespace

int inline_decided_bodies(Graph& g, bool settled) {
  const auto replaced = [&g](const auto& replace) {
    int count = 0;
    for (size_t i = 0, end = g.nodes.size(); i < end; ++i)
      if (!g.nodes[i].dead && replace(static_cast<NodeId>(i))) ++count;
    if (count > 0) g.sort();
    return count;
  };
  const int decided = replaced([&g](NodeId n) {
    if (g.node(n).kind == OpKind::kIf) return inline_if(g, n, decided_branch(g, g.node(n)));
    if (g.node(n).kind != OpKind::kLoop || !inputs_are_known(g, g.node(n))) return false;
    return count_rounds_by_condition(g, n) || replace_recurrent_loop(g, n);
  });
  if (decided > 0 || !settled) return decided;
  const int unrolled = replaced(
      [&g](NodeId n) { return g.node(n).kind == OpKind::kLoop && inputs_are_known(g, g.node(n)) && inline_loop(g, n); });
  return unrolled > 0 ? unrolled : replaced([&g](NodeId n) { return g.node(n).kind == OpKind::kLoop && inline_loop(g, n); });
}

int inline_only_branches(Graph& g) {
  int count = 0;
  for (size_t i = 0, end = g.nodes.size(); i < end; ++i) {
    const auto n = static_cast<NodeId>(i);
    if (g.node(n).dead || g.node(n).kind != OpKind::kIf) continue;
    if (const int64_t only = g.node(n).as<SubgraphAttrs>().only; only >= 0) count += inline_if(g, n, static_cast<size_t>(only));
  }
  if (count > 0) g.sort();
  return count;
}

}  // namespace edgeconv
