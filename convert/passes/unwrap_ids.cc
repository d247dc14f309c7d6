// Frameworks count ids below zero from the end before they look them up. Gather does so by itself, and ids that are looked up as they came
// need no arithmetic on the device.
#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/passes/select.h"

namespace edgeconv {

int pass_unwrap_ids(Graph& g, Diagnostics&) {
  int changed = 0;
  for (Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kGather || !g.value(n.in(0)).shape) continue;
    const Shape& table = *g.value(n.in(0)).shape;
    const size_t at = axis_index(n.as<AxisAttrs>().axis, table.size());
    const auto rows = at < table.size() ? table[at].constant() : std::nullopt;
    const ValueId ids = rows ? ids_before_wrap(g, n.in(1), *rows) : kNone;
    if (ids == kNone) continue;
    n.inputs[1] = ids;
    ++changed;
  }
  return changed;
}

}  // namespace edgeconv
