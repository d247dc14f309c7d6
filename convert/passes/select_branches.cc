// An If whose condition depends on the data: both branches are computed, and Where selects. Inference has made sure that they
// agree in shape. Branches have no side effects; what the application registers (custom operators) might, and stays refused.
#include <algorithm>

#include "convert/infer/inline_bodies.h"
#include "convert/passes/match.h"
#include "convert/passes/select_branches.h"

namespace edgeconv {

namespace {

bool may_run_unasked(const Graph& body) {
  for (const Node& n : body.nodes) {
    if (n.dead) continue;
    if (n.kind == OpKind::kCustom || n.kind == OpKind::kIf || n.kind == OpKind::kLoop) return false;
  }
  return true;
}

// A branch with the selections inside it made: other graphs share the original.
std::shared_ptr<Graph> selected(const Graph& body) {
  auto copy = std::make_shared<Graph>(body);
  const size_t count = copy->nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!copy->nodes[i].dead && copy->nodes[i].kind == OpKind::kIf) select_branches(*copy, static_cast<NodeId>(i));
  copy->sort();
  return copy;
}

}  // namespace

bool select_branches(Graph& g, NodeId id) {
  const Node n = g.node(id);
  std::vector<std::shared_ptr<Graph>> bodies;
  for (const auto& body : n.as<SubgraphAttrs>().bodies) bodies.push_back(selected(*body));
  const std::vector<ValueId> captures(n.inputs.begin() + 1, n.inputs.end());
  const Value condition = g.value(n.in(0));
  if (bodies.size() != 2 || !condition.shape) return false;
  const bool one_element =
      std::all_of(condition.shape->begin(), condition.shape->end(), [](const DimExpr& d) { return d == DimExpr(1); });
  if (condition.rank() > 1 && !one_element) return false;
  for (const auto& body : bodies)
    if (body->inputs.size() != captures.size() || body->outputs.size() != n.outputs.size() || !may_run_unasked(*body))
      return false;
  for (ValueId v : n.outputs)
    if (v != kNone && !g.value(v).shape) return false;

  ValueId scalar = n.in(0);
  if (condition.rank() >= 1) {
    std::vector<int64_t> axes;
    for (int i = 0; i < condition.rank(); ++i) axes.push_back(i);
    scalar = g.add_node(OpKind::kSqueeze, {scalar, g.add_constant(n.origin.node + "/axis", Tensor::ints(axes))}, AxesAttrs{axes},
                        n.origin);
  }
  const std::vector<ValueId> then_values = copy_body(g, *bodies[0], captures, n.origin.node + "/then/");
  const std::vector<ValueId> else_values = copy_body(g, *bodies[1], captures, n.origin.node + "/else/");
  g.node(id).dead = true;
  for (size_t o = 0; o < n.outputs.size(); ++o) {
    if (n.outputs[o] == kNone) continue;
    g.value(n.outputs[o]).producer = kNone;
    g.add_node_with_outputs(OpKind::kWhere, {scalar, then_values[o], else_values[o]}, {n.outputs[o]}, {}, n.origin);
  }
  return true;
}

int pass_select_branches(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kIf, [&](NodeId id) { return select_branches(g, id); });
}

}  // namespace edgeconv
