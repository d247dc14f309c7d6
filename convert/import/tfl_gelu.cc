// TFL_GELU: an operator of TensorFlow Lite that tf2onnx leaves in the domain of ONNX, where none has this name. approximate: by tanh.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_tfl_gelu(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const auto kind = n.integer("approximate", 0) != 0 ? ActivationKind::kGeluTanh : ActivationKind::kGeluErf;
  c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{static_cast<int>(kind), 0});
}

}  // namespace edgeconv
