// QuantizeLinear, DequantizeLinear (also of com.microsoft) and DynamicQuantizeLinear.
#include "convert/import/building_blocks.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {
namespace {

// Scale and zero point inputs, checked as far as they are constants.
std::vector<ValueId> quantization_inputs(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 3);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId zero_point = c.input(n, 2); zero_point != kNone) inputs.push_back(zero_point);
  if (const Tensor* scale = constant_of(c, inputs[1]))
    for (float s : scale->to_float())
      if (!(s > 0 && s <= 3.4028235e38f)) throw NodeError("a scale is not a positive finite number");
  return inputs;
}

QuantAttrs quantization_attrs(const OnnxNode& n) {
  QuantAttrs a{n.integer("axis", 1), n.integer("block_size", 0), DType::kUndefined};
  if (const int64_t to = n.integer("output_dtype", 0); to > 0 && to < 1000)
    a.to = supported_dtype(static_cast<int32_t>(to), "its result");
  return a;
}

}  // namespace

void import_quantize_linear(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = quantization_inputs(c, n);
  QuantAttrs a = quantization_attrs(n);
  if (inputs.size() == 3) {
    const DType t = dtype_hint(c.graph(), inputs[2]);
    if (t != DType::kUndefined && a.to != DType::kUndefined && t != a.to)
      throw NodeError("its zero point is " + std::string(dtype_name(t)) + ", its output_dtype " + std::string(dtype_name(a.to)));
    if (t != DType::kUndefined) a.to = t;
  }
  if (a.to == DType::kUndefined) a.to = DType::kUint8;
  c.emit(n, OpKind::kQuantizeLinear, std::move(inputs), a);
}

void import_dequantize_linear(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = quantization_inputs(c, n);
  c.emit(n, OpKind::kDequantizeLinear, std::move(inputs), quantization_attrs(n));
}

void import_dynamic_quantize_linear(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  if (n.outputs.size() != 3) throw NodeError("it must have three outputs");
  c.emit(n, OpKind::kDynamicQuantizeLinear, {required_input(c, n, 0)});
}

}  // namespace edgeconv
