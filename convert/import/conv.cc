// Conv, ConvTranspose, ConvInteger, QLinearConv.
#include "convert/import/conv_attributes.h"
#include "convert/import/fused_activation.h"
#include "convert/import/quantization_blocks.h"

namespace edgeconv {

ConvAttrs conv_attrs(const OnnxNode& n) {
  ConvAttrs a;
  a.kernel = n.integers("kernel_shape");
  a.strides = n.integers("strides");
  a.pads = n.integers("pads");
  a.dilations = n.integers("dilations");
  a.group = n.integer("group", 1);
  a.auto_pad = n.text("auto_pad", "NOTSET");
  a.ceil_mode = n.integer("ceil_mode", 0) != 0;
  a.count_include_pad = n.integer("count_include_pad", 0) != 0;
  for (const auto* list : {&a.kernel, &a.strides, &a.dilations})
    for (int64_t v : *list)
      if (v < 1 || v > INT32_MAX) throw NodeError("kernel, strides or dilations hold " + std::to_string(v));
  for (int64_t v : a.pads)
    if (v < 0 || v > INT32_MAX) throw NodeError("attribute 'pads' holds " + std::to_string(v));
  if (a.group < 1) throw NodeError("attribute 'group' is not positive");
  if (a.auto_pad != "NOTSET" && a.auto_pad != "VALID" && a.auto_pad != "SAME_UPPER" && a.auto_pad != "SAME_LOWER")
    throw NodeError("attribute 'auto_pad' has an unknown value");
  return a;
}

void import_conv(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 3);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId bias = c.input(n, 2); bias != kNone) inputs.push_back(bias);
  c.emit(n, OpKind::kConv, std::move(inputs), conv_attrs(n));
}

// x, w, bias, and what is added before the activation
void import_fused_conv(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 4);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId bias = c.input(n, 2); bias != kNone) inputs.push_back(bias);
  const ValueId y = add_optional(c, n, c.inner(n, OpKind::kConv, std::move(inputs), conv_attrs(n)), c.input(n, 3));
  c.bind(n, 0, fused_activation(c, n, y, n.text("activation", ""), n.numbers("activation_params")));
}

// kernel_shape says what the weights' shape says, and inference compares them.
void import_conv_transpose(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 3);
  const ConvAttrs window = conv_attrs(n);
  ConvTransposeAttrs a{
      window.kernel, window.strides, window.pads, window.dilations, n.integers("output_padding"), n.integers("output_shape"),
      window.group,  window.auto_pad};
  for (int64_t v : a.output_padding)
    if (v < 0 || v > INT32_MAX) throw NodeError("attribute 'output_padding' holds " + std::to_string(v));
  for (int64_t v : a.output_shape)
    if (v < 1 || v > INT32_MAX) throw NodeError("attribute 'output_shape' holds " + std::to_string(v));
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId bias = c.input(n, 2); bias != kNone) inputs.push_back(bias);
  c.emit(n, OpKind::kConvTranspose, std::move(inputs), std::move(a));
}

// x, scale, zero point, w, scale (may be per output channel), zero point, y scale, y zero point, bias (int32)
void import_qlinear_conv(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 8, 9);
  std::vector<ValueId> inputs = {dequantized_input(c, n, 0), dequantized_input(c, n, 3, 0)};
  if (const ValueId bias = c.input(n, 8); bias != kNone)
    inputs.push_back(mul(c, n, cast(c, n, bias, DType::kFloat), mul(c, n, required_input(c, n, 1), required_input(c, n, 4))));
  bind_quantized(c, n, c.inner(n, OpKind::kConv, std::move(inputs), conv_attrs(n)), 6);
}

// x, w, zero points of both
void import_conv_integer(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 4);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1), c.input(n, 2), c.input(n, 3)};
  while (inputs.back() == kNone) inputs.pop_back();
  c.emit(n, OpKind::kConvInteger, std::move(inputs), conv_attrs(n));
}

}  // namespace edgeconv
