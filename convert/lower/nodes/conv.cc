// Convolutions that have runtime ops of their own.
#include "convert/lower/lower.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;

std::vector<int32_t> window_ints(const WindowAttrs& a) {
  namespace window = ert::params::window;
  std::vector<int32_t> ints;
  for (size_t i = 0; i < a.kernel.size(); ++i) {
    const std::vector<int32_t> axis = named<window::kAxisInts>({{window::kKernel, a.kernel[i]},
                                                                {window::kStride, a.strides[i]},
                                                                {window::kDilation, a.dilations[i]},
                                                                {window::kBegin, a.begin[i]},
                                                                {window::kEnd, a.end[i]}});
    ints.insert(ints.end(), axis.begin(), axis.end());
  }
  return ints;
}

LoweredMap LowerContext::quantized_map(const Node& n, int x, const std::vector<float>& inv_smooth) {
  namespace quantize = ert::params::quantize_map;
  const auto [at, fresh] = quantized_maps_.try_emplace({x, inv_smooth}, LoweredMap{-1, -1});
  if (!fresh) return at->second;
  const Shape map = program.values[static_cast<size_t>(x)].shape;
  const int q = temporary(ERT_U8, map), scales = temporary(ERT_I32, {map[0], map[1], DimExpr(2)});
  const int factors = inv_smooth.empty() ? -1 : constant_f32({map[3]}, inv_smooth);
  op(n, OpCode::kQuantizeMap, named<quantize::kInputCount>({{quantize::kX, x}, {quantize::kFactors, factors}}), {q, scales});
  return at->second = {q, scales};
}

void lower_map_layer(LowerContext& c, const Node& n, const MapLayer& layer, int32_t activation, float alpha) {
  namespace map_conv = ert::params::map_conv;
  std::vector<float> smooth = c.smoothing();
  smooth.resize(std::min(smooth.size(), static_cast<size_t>(layer.channels)));  // of a position of the kernel; all have the same
  const LoweredMap map = c.quantized_map(n, c.operand(layer.input), smooth.empty() ? smooth : inverse(smooth));
  const PackedWeights w = c.weights.map(c.graph, n.in(1), layer, c.smoothing());
  const PackedConstants weights = c.constants(w);
  std::vector<int32_t> ints = {activation};
  const std::vector<int32_t> window = window_ints(layer.window);
  ints.insert(ints.end(), window.begin(), window.end());
  c.op(n, layer.depthwise ? OpCode::kMapDepthwiseConv : OpCode::kMapConv,
       named<map_conv::kInputCount>({{map_conv::kQ, map.q},
                                     {map_conv::kScales, map.scales},
                                     {map_conv::kWeights, weights.codes},
                                     {map_conv::kScale, weights.scale},
                                     {map_conv::kColsum, weights.colsum},
                                     {map_conv::kBias, c.operand(n.in(2))},
                                     {map_conv::kFactors, -1},
                                     {map_conv::kResidual, -1},
                                     {map_conv::kResidualScales, -1},
                                     {map_conv::kResidualFactors, -1}}),
       {c.result(n.outputs[0])}, ints,
       activation == ert::params::unary::kLeakyRelu ? std::vector<float>{alpha} : std::vector<float>{});
}

void lower_depthwise_conv(LowerContext& c, const Node& n) {
  namespace depthwise = ert::params::depthwise_conv;
  const auto& a = n.as<DepthwiseConvAttrs>();
  if (const MapLayer* map = c.map_layer()) return lower_map_layer(c, n, *map, a.activation, 0);
  std::vector<int32_t> ints = {a.activation};
  const std::vector<int32_t> window = window_ints(a.window);
  ints.insert(ints.end(), window.begin(), window.end());
  c.op(n, OpCode::kDepthwiseConv,
       named<depthwise::kInputCount>({{depthwise::kX, c.operand(n.in(0))},
                                      {depthwise::kWeights, c.operand(n.in(1))},
                                      {depthwise::kBias, c.operand(n.in(2))}}),
       {c.result(n.outputs[0])}, ints);
}

}  // namespace edgeconv
