// Row-wise fused nodes and reductions: norms, softmax, pooling, Reduce.
#include "convert/emit/lower.h"

namespace edgeconv {

using ert::params::OpCode;

void lower_norm(LowerContext& c, const Node& n) {
  const auto& a = n.as<FusedNormAttrs>();
  std::vector<int> outputs{c.result(n.outputs[0])};
  if (n.outputs.size() > 1 && n.outputs[1] != kNone) outputs.push_back(c.result(n.outputs[1]));
  c.op(n, OpCode::kLayerNorm, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2)), c.operand(n.in(3))}, outputs,
       {a.rms ? 1 : 0}, {a.epsilon});
}

void lower_softmax(LowerContext& c, const Node& n) {
  const int64_t axis = n.as<AxisAttrs>().axis, rank = static_cast<int64_t>(c.shape(n.in(0)).size());
  c.op(n, OpCode::kSoftmax, {c.operand(n.in(0))}, {c.result(n.outputs[0])},
       {static_cast<int32_t>(axis < 0 ? axis + rank : axis), n.kind == OpKind::kLogSoftmax ? 1 : 0});
}

void lower_reduce(LowerContext& c, const Node& n) {
  const auto& a = n.as<ReduceAttrs>();
  const int rank = static_cast<int>(c.shape(n.in(0)).size());
  int32_t mask = 0;
  for (int64_t axis : a.axes) mask |= 1 << (axis < 0 ? axis + rank : axis);
  if (a.axes.empty()) {
    if (a.noop_with_empty_axes) {
      c.bind(n.outputs[0], c.operand(n.in(0)));
      return;
    }
    mask = (1 << rank) - 1;
  }
  c.op(n, OpCode::kReduce, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, {a.kind, mask});
}

void lower_mean_pool(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kMeanPool, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])}, {}, {n.as<PoolAttrs>().epsilon});
}

void lower_l2_normalize(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kL2Normalize, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, {}, {n.as<PoolAttrs>().epsilon});
}

}  // namespace edgeconv
