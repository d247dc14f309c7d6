// Short forms for operators with quantized operands.
#include "convert/import/quantization_blocks.h"

namespace edgeconv {

ValueId dequantized(ImportContext& c, const OnnxNode& n, ValueId x, ValueId scale, ValueId zero_point, int64_t axis) {
  std::vector<ValueId> inputs = {x, scale};
  if (zero_point != kNone) inputs.push_back(zero_point);
  return c.inner(n, OpKind::kDequantizeLinear, std::move(inputs), QuantAttrs{axis, 0, DType::kUndefined});
}

ValueId dequantized_input(ImportContext& c, const OnnxNode& n, size_t i, int64_t axis) {
  return dequantized(c, n, required_input(c, n, i), required_input(c, n, i + 1), c.input(n, i + 2), axis);
}

void bind_quantized(ImportContext& c, const OnnxNode& n, ValueId x, size_t i) {
  std::vector<ValueId> inputs = {x, required_input(c, n, i)};
  DType to = DType::kUint8;
  if (const ValueId zero_point = c.input(n, i + 1); zero_point != kNone) {
    inputs.push_back(zero_point);
    if (const DType t = dtype_hint(c.graph(), zero_point); t != DType::kUndefined) to = t;
  }
  c.bind(n, 0, c.inner(n, OpKind::kQuantizeLinear, std::move(inputs), QuantAttrs{-1, 0, to}));
}

}  // namespace edgeconv
