// ONNX Runtime's statically quantized operators besides matrix products and convolution: QGemm, QLinearAdd, -Mul, -Sigmoid,
// -LeakyRelu, -Softmax, -Concat, -Where, -ReduceMean, -GlobalAveragePool.
#include "convert/import/quantization_blocks.h"

namespace edgeconv {

// A, scale, zero point, B, scale, zero point, C (int32, in units of alpha * a_scale * b_scale), y scale, y zero point. Without
// the last two the result is float.
void import_qgemm(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 6, 9);
  const bool transpose_a = n.integer("transA", 0) != 0, transpose_b = n.integer("transB", 0) != 0;
  ValueId a = dequantized_input(c, n, 0, transpose_a ? 1 : 0), b = dequantized_input(c, n, 3, transpose_b ? 0 : 1);
  if (transpose_a) a = transpose(c, n, a, {1, 0});
  if (transpose_b) b = transpose(c, n, b, {1, 0});
  ValueId y = matmul(c, n, a, b);
  const float alpha = n.number("alpha", 1);
  if (alpha != 1) y = mul(c, n, y, scalar(c, n, alpha));
  if (const ValueId bias = c.input(n, 6); bias != kNone) {
    ValueId unit = mul(c, n, required_input(c, n, 1), required_input(c, n, 4));
    if (alpha != 1) unit = mul(c, n, unit, scalar(c, n, alpha));
    y = add(c, n, y, mul(c, n, cast(c, n, bias, DType::kFloat), unit));
  }
  if (c.input(n, 7) == kNone)
    c.bind(n, 0, y);
  else
    bind_quantized(c, n, y, 7);
}

// A, scale, zero point, B, scale, zero point, result scale, zero point
void import_qlinear_binary(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 7, 8);
  const ValueId a = dequantized_input(c, n, 0), b = dequantized_input(c, n, 3);
  bind_quantized(c, n, binary(c, n, n.op_type == "QLinearAdd" ? BinaryKind::kAdd : BinaryKind::kMul, a, b), 6);
}

// x, scale, zero point, result scale, zero point: for this and the next three.
void import_qlinear_unary(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 5);
  const ValueId x = dequantized_input(c, n, 0);
  bind_quantized(c, n,
                 n.op_type == "QLinearSigmoid" ? unary(c, n, ActivationKind::kSigmoid, x)
                                               : unary(c, n, UnaryKind::kLeakyRelu, x, n.number("alpha", 0.01f)),
                 3);
}

void import_qlinear_softmax(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 5);
  const int64_t axis = n.integer("axis", -1);
  const int rank = rank_hint(c.graph(), c.input(n, 0));
  if (n.integer("opset", 13) < 13 && axis != -1 && axis != rank - 1)
    refuse("a softmax over several axes (the form before opset 13)", "convert the model as it was before it was quantized");
  bind_quantized(c, n, c.inner(n, OpKind::kSoftmax, {dequantized_input(c, n, 0)}, AxisAttrs{axis}), 3);
}

void import_qlinear_reduce_mean(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 5);
  const ReduceAttrs a{ReduceKind::kMean, n.integers("axes"), n.integer("keepdims", 1) != 0, false};
  bind_quantized(c, n, c.inner(n, OpKind::kReduce, {dequantized_input(c, n, 0)}, a), 3);
}

void import_qlinear_global_average_pool(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 5);
  const int rank = rank_hint(c.graph(), required_input(c, n, 0));
  if (rank < 3)
    refuse_without_rank("", "convert the model as it was before it was quantized");
  const bool channels_last = n.integer("channels_last", 0) != 0;
  ReduceAttrs a{ReduceKind::kMean, {}, true, false};
  for (int i = channels_last ? 1 : 2; i < rank - (channels_last ? 1 : 0); ++i) a.axes.push_back(i);
  bind_quantized(c, n, c.inner(n, OpKind::kReduce, {dequantized_input(c, n, 0)}, a), 3);
}

// Result scale, zero point, then value, scale, zero point of each part.
void import_qlinear_concat(ImportContext& c, const OnnxNode& n) {
  if (n.inputs.size() < 5 || n.inputs.size() % 3 != 2)
    throw NodeError("it needs a scale and zero point for the result and each part");
  std::vector<ValueId> parts;
  for (size_t i = 2; i < n.inputs.size(); i += 3) parts.push_back(dequantized_input(c, n, i));
  bind_quantized(c, n, concat(c, n, std::move(parts), n.integer("axis")), 0);
}

// condition, x, scale, zero point, y, scale, zero point, result scale, zero point
void import_qlinear_where(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 8, 9);
  const ValueId x = dequantized_input(c, n, 1), y = dequantized_input(c, n, 4);
  bind_quantized(c, n, c.inner(n, OpKind::kWhere, {required_input(c, n, 0), x, y}), 7);
}

}  // namespace edgeconv
