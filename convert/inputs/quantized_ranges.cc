// See quantized_ranges.h.
#include "convert/inputs/quantized_ranges.h"

#include <optional>

#include "convert/passes/match.h"
#include "convert/passes/saturation.h"

namespace edgeconv {

namespace {

bool moves_only(OpKind kind) {
  return kind == OpKind::kTranspose || kind == OpKind::kReshape || kind == OpKind::kUnsqueeze || kind == OpKind::kSqueeze || kind == OpKind::kIdentity;
}

std::optional<ValueRange> range_of(const Graph& g, const Users& users, ValueId v) {
  while (const Node* n = sole_user(g, users, v)) {
    if (!moves_only(n->kind) || n->in(0) != v) break;
    v = n->outputs[0];
  }
  std::optional<ValueRange> range;
  if (g.is_output(v)) return {};
  for (const NodeId id : users[static_cast<size_t>(v)]) {
    const Node& n = g.node(id);
    const auto found = n.kind == OpKind::kQuantizeLinear && n.in(0) == v ? saturation_range(g, n) : std::nullopt;
    if (!found || (range && (range->low != found->low || range->high != found->high))) return {};
    range = found;
  }
  return range;
}

}  // namespace

void take_quantized_ranges(const Graph& as_quantized, const Graph& g, DimPlan& dims) {
  const Users users = as_quantized.users();
  for (size_t i = 0; i < g.inputs.size() && i < as_quantized.inputs.size(); ++i) {
    if (!is_float(g.value(g.inputs[i]).dtype) || dims.input_range.count(g.inputs[i])) continue;
    if (const auto range = range_of(as_quantized, users, as_quantized.inputs[i])) dims.rounded_to[g.inputs[i]] = {range->low, range->high};
  }
}

}  // namespace edgeconv
