// Activations with parameters: exact kinds where the runtime has them, otherwise written with simpler operators.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_leaky_relu(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)},
         UnaryAttrs{static_cast<int>(UnaryKind::kLeakyRelu), n.number("alpha", 0.01f)});
}

void import_elu(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{static_cast<int>(UnaryKind::kElu), n.number("alpha", 1.0f)});
}

void import_celu(ImportContext& c, const OnnxNode& n) {
  const float alpha = n.number("alpha", 1.0f);
  if (alpha == 0) refuse("attribute 'alpha' is 0, by which it divides", "use Relu");
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{static_cast<int>(UnaryKind::kCelu), alpha});
}

void import_selu(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const float alpha = n.number("alpha", 1.67326319217681884765625f), gamma = n.number("gamma", 1.05070102214813232421875f);
  c.bind(n, 0, mul(c, n, unary(c, n, UnaryKind::kElu, x, alpha), scalar_like(c, n, x, gamma)));
}

void import_hard_sigmoid(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const ValueId line =
      add(c, n, mul(c, n, x, scalar_like(c, n, x, n.number("alpha", 0.2f))), scalar_like(c, n, x, n.number("beta", 0.5f)));
  const ValueId below = binary(c, n, BinaryKind::kMin, line, scalar_like(c, n, x, 1));
  c.bind(n, 0, binary(c, n, BinaryKind::kMax, below, scalar_like(c, n, x, 0)));
}

void import_softsign(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, x, add(c, n, unary(c, n, UnaryKind::kAbs, x), scalar_like(c, n, x, 1))));
}

void import_thresholded_relu(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const ValueId above = binary(c, n, BinaryKind::kGreater, x, scalar_like(c, n, x, n.number("alpha", 1.0f)));
  c.emit(n, OpKind::kWhere, {above, x, scalar_like(c, n, x, 0)});
}

// Nothing between -lambd and lambd, elsewhere x moved towards 0 by the bias.
void import_shrink(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const float lambda = n.number("lambd", 0.5f), bias = n.number("bias", 0);
  const auto outside = [&](BinaryKind side, float limit, float shift, ValueId inside) {
    const ValueId condition = binary(c, n, side, x, scalar_like(c, n, x, limit));
    return c.inner(n, OpKind::kWhere, {condition, add(c, n, x, scalar_like(c, n, x, shift)), inside});
  };
  const ValueId above = outside(BinaryKind::kGreater, lambda, -bias, scalar_like(c, n, x, 0));
  c.bind(n, 0, outside(BinaryKind::kLess, -lambda, bias, above));
}

void import_swish(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const float alpha = n.number("alpha", 1.0f);
  if (alpha == 1.0f) {
    c.emit(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(ActivationKind::kSilu), 0});
    return;
  }
  c.bind(n, 0, mul(c, n, x, unary(c, n, ActivationKind::kSigmoid, mul(c, n, x, scalar_like(c, n, x, alpha)))));
}

}  // namespace edgeconv
