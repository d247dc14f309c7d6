// Erfc: an operator of TensorFlow that tf2onnx leaves in the domain of ONNX, where none has this name. Keras' exact GELU is made of it.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_erfc(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const ValueId x = required_input(c, n, 0);
  c.bind(n, 0, sub(c, n, scalar_like(c, n, x, 1), unary(c, n, ActivationKind::kErf, x)));
}

}  // namespace edgeconv
