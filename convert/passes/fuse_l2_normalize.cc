// x / max(||x||, eps) over the last axis, as F.normalize is exported: ReduceL2 or Sqrt(ReduceSum(x * x)), Clip, Expand, Div.
#include <cmath>

#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

bool is_l2_norm_of(const Graph& g, ValueId v, ValueId x) {
  const Node* p = g.producer(v);
  if (!p || p->dead) return false;
  if (p->kind == OpKind::kReduce && p->as<ReduceAttrs>().kind == params::reduce::kL2)
    return p->in(0) == x && p->as<ReduceAttrs>().keep_dims && reduces_last_axis(g, *p);
  const Node* root = unary_producer(g, v, params::unary::kSqrt);
  const Node* sum = root ? producer_of_kind(g, root->in(0), OpKind::kReduce) : nullptr;
  if (!sum || !sum->as<ReduceAttrs>().keep_dims || !reduces_last_axis(g, *sum)) return false;
  if (sum->as<ReduceAttrs>().kind == params::reduce::kSumSquare) return sum->in(0) == x;
  if (sum->as<ReduceAttrs>().kind != params::reduce::kSum) return false;
  if (const Node* m = binary_producer(g, sum->in(0), params::binary::kMul)) return m->in(0) == x && m->in(1) == x;
  if (const Node* m = binary_producer(g, sum->in(0), params::binary::kPow))
    return m->in(0) == x && near(scalar_constant(g, m->in(1)), 2);
  return false;
}

}  // namespace

int pass_fuse_l2_normalize(Graph& g, Diagnostics&) {
  int fused = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBinary || g.nodes[i].as<BinaryAttrs>().kind != params::binary::kDiv)
      continue;
    const Node n = g.nodes[i];
    const Node* limit = binary_producer(g, n.in(1), params::binary::kMax);
    float epsilon = 0;
    ValueId norm = n.in(1);
    if (limit) {
      const int side = scalar_constant(g, limit->in(1)) ? 1 : 0;
      if (!scalar_constant(g, limit->in(static_cast<size_t>(side)))) continue;
      epsilon = *scalar_constant(g, limit->in(static_cast<size_t>(side)));
      norm = limit->in(static_cast<size_t>(1 - side));
    }
    // Without a lower bound 0 / 0 would have to give NaN; the fused op needs one, and a number.
    if (!(epsilon > 0) || !std::isfinite(epsilon) || !is_l2_norm_of(g, norm, n.in(0))) continue;
    redefine(g, n.outputs[0], OpKind::kL2Normalize, {n.in(0)}, PoolAttrs{epsilon}, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace edgeconv
