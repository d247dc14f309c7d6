// Row-wise fused nodes and reductions: norms, softmax, pooling, Reduce.
#include "convert/ir/axis.h"
#include "convert/lower/lower.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace params = ert::params;

void lower_norm(LowerContext& c, const Node& n) {
  namespace norm = params::layernorm;
  const auto& a = n.as<FusedNormAttrs>();
  std::vector<int> outputs{c.result(n.outputs[0])};
  if (n.outputs.size() > 1 && n.outputs[1] != kNone) outputs.push_back(c.result(n.outputs[1]));
  c.op(n, OpCode::kLayerNorm,
       named<norm::kInputCount>({{norm::kX, c.operand(n.in(0))},
                                 {norm::kResidual, c.operand(n.in(1))},
                                 {norm::kGamma, c.operand(n.in(2))},
                                 {norm::kBeta, c.operand(n.in(3))}}),
       outputs, named<norm::kIntCount>({{norm::kRms, a.rms}}), named_floats<norm::kFloatCount>({{norm::kEpsilon, a.epsilon}}));
}

void lower_softmax(LowerContext& c, const Node& n) {
  const int64_t axis = n.as<AxisAttrs>().axis, rank = static_cast<int64_t>(c.shape(n.in(0)).size());
  c.op(n, OpCode::kSoftmax, {c.operand(n.in(0))}, {c.result(n.outputs[0])},
       named<params::softmax::kIntCount>(
           {{params::softmax::kAxis, from_front(axis, rank)}, {params::softmax::kLog, n.kind == OpKind::kLogSoftmax}}));
}

// Axes as attribute, or as an operand whose contents are known. Bits of a mask; nullopt: all axes.
static std::optional<int32_t> axis_mask(const LowerContext& c, const Node& n) {
  std::vector<int64_t> axes = n.as<ReduceAttrs>().axes;
  if (const auto computed = c.elements(n.in(1)))
    for (const DimExpr& a : *computed) axes.push_back(a.constant().value_or(0));
  if (axes.empty()) return {};
  const int rank = static_cast<int>(c.shape(n.in(0)).size());
  int32_t mask = 0;
  for (int64_t axis : axes) mask |= 1 << from_front(axis, rank);
  return mask;
}

void lower_reduce(LowerContext& c, const Node& n) {
  namespace reduce = params::reduce;
  auto kind = n.as<ReduceAttrs>().kind;
  const auto some = axis_mask(c, n);
  int x = c.operand(n.in(0));
  if (!some && n.as<ReduceAttrs>().noop_with_empty_axes) return c.bind(n.outputs[0], x);
  const int32_t mask = some.value_or((1 << c.shape(n.in(0)).size()) - 1);
  const uint8_t dtype = c.program.values[static_cast<size_t>(x)].dtype;
  const bool of_integers = kind == reduce::kSum || kind == reduce::kMax || kind == reduce::kMin || kind == reduce::kProd;
  if (dtype == ERT_F32 || (dtype == ERT_I32 && of_integers)) {
    c.op(n, OpCode::kReduce, {x}, {c.result(n.outputs[0])},
         named<reduce::kIntCount>({{reduce::kKind, kind}, {reduce::kAxisMask, mask}}));
    if (kind == reduce::kSum || kind == reduce::kProd) c.wrap_narrow(n, n.outputs[0]);
    return;
  }
  // Whether any is true: a sum. Whether all are: a product. Other kinds take integers as floats.
  const uint8_t wide = dtype == ERT_BOOL ? ERT_I32 : ERT_F32;
  if (dtype == ERT_BOOL) kind = kind == reduce::kMax ? reduce::kSum : reduce::kProd;
  x = c.as_dtype(n, x, wide, c.shape(n.in(0)));
  const int y = c.temporary(wide, c.shape(n.outputs[0]));
  c.op(n, OpCode::kReduce, {x}, {y}, named<reduce::kIntCount>({{reduce::kKind, kind}, {reduce::kAxisMask, mask}}));
  c.bind(n.outputs[0], c.as_dtype(n, y, dtype, c.shape(n.outputs[0])));
}

void lower_mean_pool(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kMeanPool, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])}, {},
       named_floats<params::mean_pool::kFloatCount>({{params::mean_pool::kEpsilon, n.as<PoolAttrs>().epsilon}}));
}

void lower_l2_normalize(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kL2Normalize, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, {},
       named_floats<params::l2_normalize::kFloatCount>({{params::l2_normalize::kEpsilon, n.as<PoolAttrs>().epsilon}}));
}

}  // namespace edgeconv
