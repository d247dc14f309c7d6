// Matrix products on integers: MatMulInteger as it is; QLinearMatMul and ONNX Runtime's MatMulIntegerToFloat and
// DynamicQuantizeMatMul written with DequantizeLinear, MatMul and QuantizeLinear.
#include "convert/import/quantization_blocks.h"

namespace edgeconv {
// Per-column parameters of a right operand lie along its last axis, per-row parameters of a left one along the last but one.

void import_matmul_integer(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 4);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1), c.input(n, 2), c.input(n, 3)};
  while (inputs.back() == kNone) inputs.pop_back();
  c.emit(n, OpKind::kMatMulInteger, std::move(inputs));
}

void import_qlinear_matmul(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 8, 8);
  const ValueId a = dequantized_input(c, n, 0, -2), b = dequantized_input(c, n, 3, -1);
  bind_quantized(c, n, matmul(c, n, a, b), 6);
}

// A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias
void import_matmul_integer_to_float(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 7);
  const ValueId a = dequantized(c, n, required_input(c, n, 0), required_input(c, n, 2), c.input(n, 4), -2);
  const ValueId b = dequantized(c, n, required_input(c, n, 1), required_input(c, n, 3), c.input(n, 5), -1);
  c.bind(n, 0, add_optional(c, n, matmul(c, n, a, b), c.input(n, 6)));
}

// A, B, b_scale, b_zero_point, bias. The dynamic quantization of A is this converter's own business.
void import_dynamic_quantize_matmul(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 5);
  const ValueId b = dequantized(c, n, required_input(c, n, 1), required_input(c, n, 2), c.input(n, 3), -1);
  c.bind(n, 0, add_optional(c, n, matmul(c, n, required_input(c, n, 0), b), c.input(n, 4)));
}

}  // namespace edgeconv
