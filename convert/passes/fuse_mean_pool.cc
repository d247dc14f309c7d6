// Mean over the tokens that a mask keeps: sum(x * m) / max(sum(m), eps) along axis 1, as sentence-transformers models have it.
#include <cmath>

#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

const Node* sum_over_tokens(const Graph& g, ValueId v) {
  const Node* p = producer_of_kind(g, v, OpKind::kReduce);
  if (!p || p->as<ReduceAttrs>().kind != params::reduce::kSum) return nullptr;
  const auto& axes = p->as<ReduceAttrs>().axes;
  const int rank = g.value(p->in(0)).rank();
  return rank == 3 && axes.size() == 1 && (axes[0] == 1 || axes[0] == -2) ? p : nullptr;
}

}  // namespace

int pass_fuse_mean_pool(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBinary || g.nodes[i].as<BinaryAttrs>().kind != params::binary::kDiv)
      continue;
    const Node n = g.nodes[i];
    const Node* total = sum_over_tokens(g, n.in(0));
    const Node* limit = binary_producer(g, n.in(1), params::binary::kMax);
    if (!total || total->as<ReduceAttrs>().keep_dims || !limit) continue;
    const int side = scalar_constant(g, limit->in(1)) ? 1 : 0;
    const auto epsilon = scalar_constant(g, limit->in(static_cast<size_t>(side)));
    const Node* weight_sum = sum_over_tokens(g, limit->in(static_cast<size_t>(1 - side)));
    const Node* product = binary_producer(g, total->in(0), params::binary::kMul);
    if (!epsilon || !(*epsilon > 0) || !std::isfinite(*epsilon) || !weight_sum || weight_sum->as<ReduceAttrs>().keep_dims || !product) continue;
    const ValueId mask = weight_sum->in(0), x = other_operand(*product, mask);
    if (x == kNone || !g.value(x).shape || g.value(x).rank() != 3 || !g.value(mask).shape ||
        g.value(mask).shape->back() != DimExpr(1))
      continue;
    const Shape rows{(*g.value(mask).shape)[0], (*g.value(mask).shape)[1]};
    if (rows != Shape{(*g.value(x).shape)[0], (*g.value(x).shape)[1]}) continue;
    const ValueId axes = g.add_constant(n.origin.node + "/axes", Tensor::ints({2}));
    const ValueId weights = g.add_node(OpKind::kSqueeze, {mask, axes}, AxesAttrs{{2}}, n.origin);
    g.value(weights).dtype = g.value(mask).dtype;
    g.value(weights).shape = rows;
    redefine(g, n.outputs[0], OpKind::kMeanPool, {x, weights}, PoolAttrs{*epsilon}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
