// QuantizeLinear, DequantizeLinear (also of com.microsoft) and DynamicQuantizeLinear.
#include <cmath>

#include "convert/import/building_blocks.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {
namespace {

// Scale and zero point inputs, checked as far as they are constants. ONNX asks nothing of a scale; quantizers of weights write negative ones, since -8 reaches further than
// 7, and zero for blocks of zeros. Nothing can be divided by these.
std::vector<ValueId> quantization_inputs(ImportContext& c, const OnnxNode& n, bool divides) {
  check_input_count(n, 2, 3);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId zero_point = c.input(n, 2); zero_point != kNone) inputs.push_back(zero_point);
  if (const Tensor* scale = constant_of(c, inputs[1]))
    for (float s : scale->to_float())
      if (!std::isfinite(s) || (divides && s <= 0)) throw NodeError(divides ? "a scale is not a positive finite number" : "a scale is not finite");
  return inputs;
}

QuantAttrs quantization_attrs(const OnnxNode& n) {
  return {n.integer("axis", 1), n.integer("block_size", 0), DType::kUndefined};
}

int32_t output_type(const OnnxNode& n) {
  const int64_t to = n.integer("output_dtype", 0);
  return to > 0 && to < 1000 ? static_cast<int32_t>(to) : 0;
}

}  // namespace

void import_quantize_linear(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = quantization_inputs(c, n, true);
  QuantAttrs a = quantization_attrs(n);
  const int32_t to = output_type(n);
  a.bits = packed_bits(to);
  if (a.bits != 0)
    a.to = unpacked_dtype(to);
  else if (to != 0)
    a.to = supported_dtype(to, "its result");
  if (inputs.size() == 3) {
    const DType t = dtype_hint(c.graph(), inputs[2]);
    const int bits = packed_bits_hint(c.graph(), inputs[2]);
    if (to != 0 && bits != a.bits)
      throw NodeError("its zero point has " + std::to_string(bits != 0 ? bits : 8) + " bits, its output_dtype " + std::to_string(a.bits != 0 ? a.bits : 8));
    a.bits = bits;
    if (t != DType::kUndefined && a.to != DType::kUndefined && t != a.to)
      throw NodeError("its zero point is " + std::string(dtype_name(t)) + ", its output_dtype " + std::string(dtype_name(a.to)));
    if (t != DType::kUndefined) a.to = t;
  }
  if (a.to == DType::kUndefined) a.to = DType::kUint8;
  c.emit(n, OpKind::kQuantizeLinear, std::move(inputs), a);
}

void import_dequantize_linear(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = quantization_inputs(c, n, false);
  QuantAttrs a = quantization_attrs(n);
  if (const int32_t to = output_type(n); to != 0) a.to = supported_dtype(to, "its result");
  c.emit(n, OpKind::kDequantizeLinear, std::move(inputs), a);
}

void import_dynamic_quantize_linear(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  if (n.outputs.size() != 3) throw NodeError("it must have three outputs");
  c.emit(n, OpKind::kDynamicQuantizeLinear, {required_input(c, n, 0)});
}

}  // namespace edgeconv
