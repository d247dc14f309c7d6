// See fused_activation.h.
#include "convert/import/fused_activation.h"

namespace edgeconv {

ValueId fused_activation(ImportContext& c, const OnnxNode& n, ValueId x, const std::string& name,
                         const std::vector<float>& params) {
  const auto param = [&](size_t i, float otherwise) { return i < params.size() ? params[i] : otherwise; };
  const auto between = [&](ValueId v, float low, float high) {
    const ValueId above = binary(c, n, BinaryKind::kMax, v, scalar_like(c, n, x, low));
    return binary(c, n, BinaryKind::kMin, above, scalar_like(c, n, x, high));
  };
  if (name.empty()) return x;
  if (name == "Relu") return unary(c, n, ActivationKind::kRelu, x);
  if (name == "Tanh") return unary(c, n, ActivationKind::kTanh, x);
  if (name == "Sigmoid") return unary(c, n, ActivationKind::kSigmoid, x);
  if (name == "LeakyRelu") return unary(c, n, UnaryKind::kLeakyRelu, x, param(0, 0.01f));
  if (name == "Elu") return unary(c, n, UnaryKind::kElu, x, param(0, 1.0f));
  if (name == "Clip" && params.size() == 2) return between(x, params[0], params[1]);
  if (name == "HardSigmoid") {
    const ValueId scaled = mul(c, n, x, scalar_like(c, n, x, param(0, 0.2f)));
    return between(add(c, n, scaled, scalar_like(c, n, x, param(1, 0.5f))), 0, 1);
  }
  refuse("the fused activation " + name, "convert the model as it was before ONNX Runtime optimised it");
}

}  // namespace edgeconv
