// MatMul of two computed matrices, and Linear: a matrix product with constant weights, stored as the precision plan says. A Linear over
// Patches is a Conv.
#include "convert/lower/lower.h"
#include "convert/quantize/shared_columns.h"
#include "convert/quantize/weight_store.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;

// numpy gives vectors an axis of size 1 for the product and drops it afterwards; the runtime wants matrices.
void lower_matmul(LowerContext& c, const Node& n) {
  if (!is_float(c.graph.value(n.in(0)).dtype) || !is_float(c.graph.value(n.in(1)).dtype))
    return c.unsupported(n, "a product of integers, which devices compute on floats or 8-bit weights only",
                         "cast its inputs to float32, or use MatMulInteger");
  const std::vector<int32_t> as_they_are = named<ert::params::matmul::kIntCount>({{ert::params::matmul::kTranspose, 0}});
  int lhs = c.operand(n.in(0)), rhs = c.operand(n.in(1));
  const Shape a = c.shape(n.in(0)), b = c.shape(n.in(1));
  if (a.size() == 1) lhs = c.program.add_alias(lhs, {1, a[0]});
  if (b.size() == 1) rhs = c.program.add_alias(rhs, {b[0], 1});
  if (a.size() > 1 && b.size() > 1) {
    c.op(n, OpCode::kMatMul, {lhs, rhs}, {c.result(n.outputs[0])}, as_they_are);
    return;
  }
  Shape full = c.shape(n.outputs[0]);
  if (b.size() == 1) full.push_back(1);
  if (a.size() == 1) full.insert(full.end() - 1, DimExpr(1));
  const int product = c.temporary(ERT_F32, full);
  c.op(n, OpCode::kMatMul, {lhs, rhs}, {product}, as_they_are);
  c.bind(n.outputs[0], c.program.add_alias(product, c.shape(n.outputs[0])));
}

namespace {

// Ints of a Conv: those of its window follow its own.
std::vector<int32_t> conv_ints(const PatchesAttrs& a, int64_t precision, int64_t activation, int64_t shared_columns) {
  namespace conv = ert::params::conv;
  std::vector<int32_t> ints = named<conv::kWindow>({{conv::kPrecision, precision},
                                                    {conv::kActivation, activation},
                                                    {conv::kFirstChannel, a.first_channel},
                                                    {conv::kChannels, a.channels},
                                                    {conv::kSharedColumns, shared_columns}});
  const std::vector<int32_t> window = window_ints(a.window);
  ints.insert(ints.end(), window.begin(), window.end());
  return ints;
}

// The factors of the first position where all others have the same; empty where they differ.
std::vector<float> of_one_position(const Tensor& factors, int64_t channels) {
  const auto all = factors.as<float>();
  const size_t period = static_cast<size_t>(channels);
  for (size_t i = period; i < all.size(); ++i)
    if (all[i] != all[i - period]) return {};
  return {all.begin(), all.begin() + channels};
}

}  // namespace

// Linears take patches from where these have them; the value itself is for other readers, and goes where there are none (remove_unread).
void lower_patches(LowerContext& c, const Node& n) {
  namespace linear = ert::params::linear;
  const int x = c.operand(n.in(0));
  c.op(n, OpCode::kConv, {x}, {c.result(n.outputs[0])}, conv_ints(n.as<PatchesAttrs>(), linear::kF32, linear::kNoActivation, 0));
}

void lower_linear(LowerContext& c, const Node& n) {
  namespace linear = ert::params::linear;
  if (const MapLayer* map = c.map_layer()) return lower_map_layer(c, n, *map, n.as<LinearAttrs>().activation, n.as<LinearAttrs>().alpha);
  const Precision precision = c.options.plan.of(c.node_id).precision;
  const Value& weight = c.graph.value(n.in(1));
  const int64_t k = weight.constant->dims()[0];
  const Node* producer = c.graph.producer(n.in(0));
  const PatchesAttrs* patches = producer && producer->kind == OpKind::kPatches ? &producer->as<PatchesAttrs>() : nullptr;
  int64_t shared = precision == linear::kInt8 ? shared_columns(c.graph, n) : 0;
  std::vector<int> inputs(linear::kInputCount, -1);
  inputs[linear::kX] = c.operand(patches ? producer->in(0) : n.in(0));
  inputs[linear::kBias] = c.operand(n.in(2));
  if (precision == linear::kF32) {
    inputs[linear::kWeights] = c.operand(n.in(1));
  } else {
    const PackedWeights w = precision == linear::kW12A13 ? c.weights.wide(c.graph, n.in(1)) : c.weights.linear(c.graph, n.in(1), c.smoothing());
    const PackedConstants weights = c.constants(w);
    inputs[linear::kWeights] = weights.codes;
    inputs[linear::kScale] = weights.scale;
    inputs[linear::kColsum] = weights.colsum;
    if (w.inv_smooth.bytes()) {
      const std::vector<float> one = shared != 0 ? of_one_position(w.inv_smooth, patches->channels) : std::vector<float>();
      if (one.empty()) shared = 0;
      inputs[linear::kInvSmooth] =
          shared != 0 ? c.constant_f32({patches->channels}, one) : c.program.add_constant(ERT_F32, {k}, w.inv_smooth);
    }
  }
  const auto& [activation, alpha] = n.as<LinearAttrs>();
  if (patches) {
    c.op(n, OpCode::kConv, inputs, {c.result(n.outputs[0])}, conv_ints(*patches, precision, activation, shared),
         activation == ert::params::unary::kLeakyRelu ? std::vector<float>{alpha} : std::vector<float>{});
  } else {
    c.op(n, OpCode::kLinear, inputs, {c.result(n.outputs[0])},
         named<linear::kIntCount>({{linear::kPrecision, precision}, {linear::kActivation, activation}}));
  }
}

}  // namespace edgeconv
