// Operators that make tensors from sizes: ConstantOfShape, Range, EyeLike, OneHot.
#include "convert/import/building_blocks.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

void import_constant_of_shape(ImportContext& c, const OnnxNode& n) {
  Tensor value = n.has("value") ? c.tensor_attribute(n, "value") : Tensor::of<float>(DType::kFloat, {1}, {0.0f});
  if (value.elements() != 1) throw NodeError("attribute 'value' must hold one element");
  c.emit(n, OpKind::kConstantOfShape, {required_input(c, n, 0)}, FillAttrs{std::move(value)});
}

// Floats between ends that the model computes are start + delta * 0, 1, 2, ..
void import_range(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  const ValueId start = required_input(c, n, 0), limit = required_input(c, n, 1), delta = required_input(c, n, 2);
  const DType t = dtype_hint(c.graph(), start);
  const bool known = constant_of(c, start) && constant_of(c, limit) && constant_of(c, delta);
  if (known || !is_float(t)) return (void)c.emit(n, OpKind::kRange, {start, limit, delta});
  const auto wide = [&](ValueId v) { return cast(c, n, v, DType::kDouble); };
  const ValueId steps = unary(c, n, UnaryKind::kCeil, binary(c, n, BinaryKind::kDiv, sub(c, n, wide(limit), wide(start)), wide(delta)));
  const ValueId positions = c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), cast(c, n, steps, DType::kInt64), int_scalar(c, n, 1)});
  c.emit(n, OpKind::kBinary, {mul(c, n, cast(c, n, positions, t), delta), start}, BinaryAttrs{BinaryKind::kAdd});
}

// Written as: column index == row index + k.
void import_eye_like(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  DType to = n.has("dtype") ? supported_dtype(static_cast<int32_t>(n.integer("dtype")), "its result") : dtype_hint(c.graph(), x);
  if (to == DType::kUndefined) to = DType::kFloat;
  const ValueId zero = int_scalar(c, n, 0), one = int_scalar(c, n, 1);
  const ValueId rows = c.inner(n, OpKind::kRange, {zero, dim_size(c, n, x, 0), one});
  const ValueId columns = c.inner(n, OpKind::kRange, {zero, dim_size(c, n, x, 1), one});
  const ValueId diagonal = unsqueeze(c, n, add(c, n, rows, int_scalar(c, n, n.integer("k", 0))), {1});
  const ValueId equal = binary(c, n, BinaryKind::kEqual, diagonal, unsqueeze(c, n, columns, {0}));
  c.emit(n, OpKind::kCast, {equal}, CastAttrs{to});
}

void import_one_hot(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  c.emit(n, OpKind::kOneHot, {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)},
         AxisAttrs{n.integer("axis", -1)});
}

}  // namespace edgeconv
