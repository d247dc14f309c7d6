// Gelu (opset 20 and com.microsoft), and its ONNX Runtime relatives with a bias: FastGelu, BiasGelu, QuickGelu.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_gelu(ImportContext& c, const OnnxNode& n) {
  const std::string approximate = n.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") throw NodeError("attribute 'approximate' is neither none nor tanh");
  const auto kind = approximate == "tanh" ? ActivationKind::kGeluTanh : ActivationKind::kGeluErf;
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{static_cast<int>(kind), 0});
}

void import_fast_gelu(ImportContext& c, const OnnxNode& n) {
  const ValueId x = add_optional(c, n, required_input(c, n, 0), c.input(n, 1));
  c.emit(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(ActivationKind::kGeluTanh), 0});
}

void import_bias_gelu(ImportContext& c, const OnnxNode& n) {
  const ValueId x = add(c, n, required_input(c, n, 0), required_input(c, n, 1));
  c.emit(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(ActivationKind::kGeluErf), 0});
}

void import_quick_gelu(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const float alpha = n.number("alpha", 1.702f);
  if (alpha == 1.702f) {
    c.emit(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(ActivationKind::kQuickGelu), 0});
    return;
  }
  c.bind(n, 0, mul(c, n, x, unary(c, n, ActivationKind::kSigmoid, mul(c, n, x, scalar_like(c, n, x, alpha)))));
}

}  // namespace edgeconv
