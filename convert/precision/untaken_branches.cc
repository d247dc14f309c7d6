// See untaken_branches.h.
#include "convert/precision/untaken_branches.h"

#include <algorithm>
#include <set>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

// Contents that follow from shapes and constants alone are the same in all runs of these sizes: masks of causal attention, fills of any shape. Nodes are in order.
std::vector<char> moving_values(const Graph& g) {
  std::vector<char> moves(g.values.size(), 0);
  for (ValueId v : g.inputs) moves[static_cast<size_t>(v)] = 1;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind == OpKind::kShape) continue;
    const bool any = n.kind == OpKind::kIf || n.kind == OpKind::kLoop || std::any_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) {
      return v != kNone && moves[static_cast<size_t>(v)] && !g.value(v).is_constant() && !g.value(v).elements;
    });
    for (ValueId v : n.outputs)
      if (v != kNone) moves[static_cast<size_t>(v)] = any;
  }
  return moves;
}

}  // namespace

BranchWatch::BranchWatch(const Graph& g) : g_(g), moves_(moving_values(g)) {}

// Of a Where: numbers that are computed from the inputs, chosen by what is. Where an attention mask or a NaN has a constant put in, nothing is left unmeasured.
bool BranchWatch::matters(const Node& n, bool side) const {
  if (n.kind == OpKind::kIf) return true;
  const ValueId condition = n.in(0), untaken = n.in(side ? 1 : 2), result = n.outputs[0];
  const auto moves = [&](ValueId v) { return v != kNone && moves_[static_cast<size_t>(v)] != 0; };
  return moves(condition) && moves(untaken) && result != kNone && is_float(g_.value(result).dtype);
}

void BranchWatch::see(const Node& n, const std::vector<Tensor>& values) {
  const bool where = n.kind == OpKind::kWhere && n.origin.op_type == "Where";
  if (n.kind != OpKind::kIf && !where) return;
  Ways& ways = seen_[&n];
  if (ways.yes && ways.no) return;
  if (where && !matters(n, true) && !matters(n, false)) {
    ways = {true, true};
    return;
  }
  const Tensor& condition = values[static_cast<size_t>(n.in(0))];
  if (condition.dtype() == DType::kUndefined || (!where && condition.elements() != 1)) return;
  for (const int64_t v : condition.to_int64()) (v != 0 ? ways.yes : ways.no) = true;
}

std::vector<std::string> BranchWatch::untaken() const {
  std::set<std::string> texts;
  for (const auto& [node, ways] : seen_) {
    if (ways.yes == ways.no || !matters(*node, !ways.yes)) continue;
    const std::string name = "'" + printable(node->origin.node) + "'";
    if (node->kind == OpKind::kIf)
      texts.insert("branch " + std::string(ways.yes ? "'else'" : "'then'") + " of " + name);
    else
      texts.insert("side " + std::string(ways.yes ? "Y" : "X") + " of Where " + name);
  }
  return {texts.begin(), texts.end()};
}

}  // namespace edgeconv
