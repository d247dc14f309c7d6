// Operators that do nothing at inference: Identity and Dropout (whose ratio and mode no exporter sets to training).
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_identity(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  c.emit(n, OpKind::kIdentity, {required_input(c, n, 0)});
}

void import_dropout(ImportContext& c, const OnnxNode& n) {
  const Tensor* training = constant_of(c, c.input(n, 2));
  const bool trains = training != nullptr && training->elements() == 1 && training->to_float()[0] != 0;
  if (c.is_read(n, 1)) {
    if (trains || (training == nullptr && c.input(n, 2) != kNone))
      refuse("its random mask is used", "export the model in evaluation mode (model.eval())");
    if (c.opset("") < 10) refuse("its mask is used, which is a number before opset 10", "export with a newer opset");
    // Nothing is dropped: the mask is all true.
    const ValueId shape = c.inner(n, OpKind::kShape, {required_input(c, n, 0)}, ShapeAttrs{});
    c.bind(n, 1, c.inner(n, OpKind::kConstantOfShape, {shape}, FillAttrs{Tensor::of<uint8_t>(DType::kBool, {1}, {1})}));
  }
  if (trains)
    c.warn(n,
           "it is in training mode; it is imported as in evaluation, where it does nothing; export with model.eval() to be sure "
           "of the rest");
  const ValueId y = c.inner(n, OpKind::kIdentity, {required_input(c, n, 0)});
  c.bind(n, 0, y);
}

}  // namespace edgeconv
