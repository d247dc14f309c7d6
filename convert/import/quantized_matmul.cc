// Matrix products on integers: MatMulInteger as it is; QLinearMatMul and ONNX Runtime's MatMulIntegerToFloat and
// DynamicQuantizeMatMul written with DequantizeLinear, MatMul and QuantizeLinear.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

// Per-column parameters of a right operand lie along its last axis, per-row parameters of a left one along the last but one.
ValueId dequantize(ImportContext& c, const OnnxNode& n, ValueId x, ValueId scale, ValueId zero_point, int64_t axis) {
  std::vector<ValueId> inputs = {x, scale};
  if (zero_point != kNone) inputs.push_back(zero_point);
  return c.inner(n, OpKind::kDequantizeLinear, std::move(inputs), QuantAttrs{axis, 0, DType::kUndefined});
}

}  // namespace

void import_matmul_integer(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 4);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1), c.input(n, 2), c.input(n, 3)};
  while (inputs.back() == kNone) inputs.pop_back();
  c.emit(n, OpKind::kMatMulInteger, std::move(inputs));
}

void import_qlinear_matmul(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 8, 8);
  std::vector<ValueId> in;
  for (size_t i = 0; i < 8; ++i) in.push_back(required_input(c, n, i));
  const ValueId a = dequantize(c, n, in[0], in[1], in[2], -2), b = dequantize(c, n, in[3], in[4], in[5], -1);
  const DType to = dtype_hint(c.graph(), in[7]);
  c.emit(n, OpKind::kQuantizeLinear, {matmul(c, n, a, b), in[6], in[7]},
         QuantAttrs{-1, 0, to == DType::kUndefined ? DType::kUint8 : to});
}

// A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias
void import_matmul_integer_to_float(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 7);
  const ValueId a = dequantize(c, n, required_input(c, n, 0), required_input(c, n, 2), c.input(n, 4), -2);
  const ValueId b = dequantize(c, n, required_input(c, n, 1), required_input(c, n, 3), c.input(n, 5), -1);
  c.bind(n, 0, add_optional(c, n, matmul(c, n, a, b), c.input(n, 6)));
}

// A, B, b_scale, b_zero_point, bias. The dynamic quantization of A is this converter's own business.
void import_dynamic_quantize_matmul(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 5);
  const ValueId b = dequantize(c, n, required_input(c, n, 1), required_input(c, n, 2), c.input(n, 3), -1);
  c.bind(n, 0, add_optional(c, n, matmul(c, n, required_input(c, n, 0), b), c.input(n, 4)));
}

}  // namespace edgeconv
