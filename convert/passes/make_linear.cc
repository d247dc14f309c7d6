// MatMul with a constant matrix becomes Linear; a following Add of a constant vector becomes its bias.
#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

int from_matmul(Graph& g) {
  int made = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kMatMul) continue;
    const Node n = g.nodes[i];
    const Value& weight = g.value(n.in(1));
    if (!weight.constant || weight.constant->rank() != 2 || g.value(n.in(0)).constant || g.value(n.in(0)).rank() < 1 ||
        !is_float(weight.dtype))
      continue;
    redefine(g, n.outputs[0], OpKind::kLinear, {n.in(0), n.in(1), kNone}, LinearAttrs{}, n.origin);
    ++made;
  }
  return made;
}

// Constant of n elements along the last axis, or one element spread over it.
std::optional<Tensor> row_constant(const Graph& g, ValueId v, int64_t n) {
  if (v == kNone || !g.value(v).constant || !is_float(g.value(v).dtype)) return {};
  const Tensor t = g.value(v).constant->cast(DType::kFloat);
  if (t.elements() == 1)
    return Tensor::of<float>(DType::kFloat, {n}, std::vector<float>(static_cast<size_t>(n), t.to_float()[0]));
  if (t.elements() != n || t.dims().back() != n) return {};
  return t.reshaped({n});
}

int add_bias(Graph& g) {
  return fuse_reader_of_linear(
      g, OpKind::kBinary, [&](const Node& n, const Node& add, const Users&) -> std::optional<FusedLinear> {
        if (n.in(2) != kNone || add.as<BinaryAttrs>().kind != params::binary::kAdd) return {};
        const ValueId other = other_operand(add, n.outputs[0]);
        const auto bias = row_constant(g, other, g.value(n.in(1)).constant->dims()[1]);
        if (!bias || g.value(add.outputs[0]).shape != g.value(n.outputs[0]).shape) return {};
        const Value& v = g.value(other);
        const bool as_it_is = v.constant->rank() == 1 && v.constant->elements() == bias->elements() && v.dtype == DType::kFloat;
        return FusedLinear{{n.in(0), n.in(1), as_it_is ? other : g.add_constant(n.origin.node + "/bias", *bias)}, {}};
      });
}

}  // namespace

int pass_make_linear(Graph& g, Diagnostics&) {
  const int made = from_matmul(g);
  return made + add_bias(g);
}

}  // namespace edgeconv
