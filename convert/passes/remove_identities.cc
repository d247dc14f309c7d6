// Removes nodes that change nothing: Identity, Cast to the runtime's own type, Reshape or Expand to the same shape, Slice of
// everything, Pad by nothing, Transpose that keeps the order, and the empty operands of Concat.
#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/passes/stand_ins.h"

namespace edgeconv {

namespace {

bool same_shape(const Graph& g, ValueId a, ValueId b) {
  return g.value(a).shape && g.value(b).shape && *g.value(a).shape == *g.value(b).shape;
}

bool forward_steps(const Graph& g, const Node& slice) {
  if (slice.in(4) == kNone) return true;
  if (!g.value(slice.in(4)).constant) return false;
  for (int64_t step : g.value(slice.in(4)).constant->to_int64())
    if (step < 1) return false;
  return true;
}

bool all_zero(const Graph& g, ValueId numbers) {
  const auto& known = g.value(numbers).elements;
  return known && std::all_of(known->begin(), known->end(), [](const DimExpr& e) { return e == DimExpr(0); });
}

bool changes_nothing(const Graph& g, const Node& n) {
  switch (n.kind) {
    case OpKind::kIdentity: return true;
    case OpKind::kCast: return g.value(n.in(0)).dtype == n.as<CastAttrs>().to;
    case OpKind::kReshape:
    case OpKind::kFlatten:
    case OpKind::kExpand:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kTile: return same_shape(g, n.in(0), n.outputs[0]);
    // As many rows as there are, in order: all of them.
    case OpKind::kSlice: return same_shape(g, n.in(0), n.outputs[0]) && forward_steps(g, n);
    case OpKind::kPad: return all_zero(g, n.in(1));
    case OpKind::kTranspose: {
      const auto& perm = n.as<TransposeAttrs>().perm;
      for (size_t i = 0; i < perm.size(); ++i)
        if (perm[i] != static_cast<int64_t>(i)) return false;
      return !perm.empty();
    }
    default: return false;
  }
}

// Code for partly rotated heads joins the rest of the head, which is empty where the whole head is rotated.
bool drop_empty_operands(const Graph& g, Node& n) {
  const int64_t axis = n.as<AxisAttrs>().axis;
  std::vector<ValueId> kept;
  for (ValueId in : n.inputs) {
    if (!g.value(in).shape || g.value(in).elements) return false;
    const Shape& shape = *g.value(in).shape;
    const size_t at = axis_index(axis, shape.size());
    if (at >= shape.size()) return false;
    if (shape[at] != DimExpr(0)) kept.push_back(in);
  }
  if (kept.empty() || kept.size() == n.inputs.size()) return false;
  n.inputs = kept;
  if (kept.size() == 1) {
    n.kind = OpKind::kIdentity;
    n.attrs = {};
  }
  return true;
}

}  // namespace

int pass_remove_identities(Graph& g, Diagnostics&) {
  StandIns removed(g);
  int emptied = 0;
  for (Node& n : g.nodes) {
    if (n.dead) continue;
    removed.redirect(n);
    if (n.kind == OpKind::kConcat) emptied += drop_empty_operands(g, n);
    if (n.in(0) == kNone || !changes_nothing(g, n)) continue;
    // An output keeps its name: only its inner readers are redirected, and the node stays as the copy into the output.
    const ValueId out = n.outputs[0];
    if (g.is_output(out)) continue;
    removed.add(out, n.in(0));
    n.dead = true;
  }
  removed.redirect_all(g);
  return removed.count() + emptied;
}

}  // namespace edgeconv
