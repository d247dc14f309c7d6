// A reduction over the axis that values were stacked along is a Binary of each value with the next: the largest of three convolutions' results, as
// `torch.stack(..).max(-1)` writes it, copies nothing then. The mean is their sum over their number.
#include <algorithm>
#include <optional>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

namespace {

namespace reduce = ert::params::reduce;
namespace binary = ert::params::binary;

constexpr size_t kMostStacked = 8;

std::optional<binary::Kind> binary_of(reduce::Kind kind) {
  switch (kind) {
    case reduce::kSum:
    case reduce::kMean: return binary::kAdd;
    case reduce::kMax: return binary::kMax;
    case reduce::kMin: return binary::kMin;
    case reduce::kProd: return binary::kMul;
    default: return std::nullopt;
  }
}

// The Concat of values that are one element long along the only axis of the reduction.
const Node* stack_of(const Graph& g, const Node& n) {
  const Node* stack = producer_of_kind(g, n.in(0), OpKind::kConcat);
  const auto& axes = n.as<ReduceAttrs>().axes;
  if (stack == nullptr || n.inputs.size() != 1 || axes.size() != 1) return nullptr;
  if (stack->inputs.size() < 2 || stack->inputs.size() > kMostStacked) return nullptr;
  const int64_t rank = g.value(n.in(0)).rank(), axis = from_front(stack->as<AxisAttrs>().axis, rank);
  if (rank < 1 || axis != from_front(axes[0], rank)) return nullptr;
  for (const ValueId v : stack->inputs)
    if (!g.value(v).shape || (*g.value(v).shape)[static_cast<size_t>(axis)] != DimExpr(1)) return nullptr;
  return stack;
}

bool unstack(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto kind = binary_of(n.as<ReduceAttrs>().kind);
  const Node* found = stack_of(g, n);
  const Value& out = g.value(n.outputs[0]);
  if (!kind || found == nullptr || !out.shape || !is_float(g.value(n.in(0)).dtype)) return false;
  const Node stack = *found;
  const Shape shape = *out.shape;
  NodeBuilder b(g, n);
  // Without the axis where the result has none; views of views cancel.
  const auto part = [&](size_t i) {
    return n.as<ReduceAttrs>().keep_dims ? stack.in(i) : b.add(OpKind::kReshape, {stack.in(i), b.sizes_of(shape)}, ReshapeAttrs{}, shape);
  };
  const bool is_mean = n.as<ReduceAttrs>().kind == reduce::kMean;
  const size_t last = stack.inputs.size() - 1;
  ValueId all = part(0);
  for (size_t i = 1; i < last + (is_mean ? 1 : 0); ++i) all = b.add(OpKind::kBinary, {all, part(i)}, BinaryAttrs{*kind}, shape);
  // Divided, as Reduce does: float16 has no third.
  const ValueId with = is_mean ? b.weights({}, {static_cast<float>(last + 1)}) : part(last);
  redefine(g, n.outputs[0], OpKind::kBinary, {all, with}, BinaryAttrs{is_mean ? binary::kDiv : *kind}, n.origin);
  return true;
}

}  // namespace

int pass_unstack_reduce(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kReduce, [&](NodeId id) { return unstack(g, id); });
}

}  // namespace edgeconv
