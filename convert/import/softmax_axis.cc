// See softmax_axis.h.
#include "convert/import/softmax_axis.h"

namespace edgeconv {

SoftmaxAxis softmax_axis(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  if (c.opset("") >= 13) return {x, n.integer("axis", -1), false};
  const int64_t axis = n.integer("axis", 1);
  const int rank = rank_hint(c.graph(), x);
  if (rank == 0) throw NodeError("its input has no axes");
  if (axis == -1 || (rank >= 0 && axis == rank - 1)) return {x, -1, false};
  return {c.inner(n, OpKind::kFlatten, {x}, AxisAttrs{axis}), -1, true};
}

void bind_softmax(ImportContext& c, const OnnxNode& n, const SoftmaxAxis& a, ValueId result) {
  if (!a.flattened) return c.bind(n, 0, result);
  const ValueId shape = c.inner(n, OpKind::kShape, {required_input(c, n, 0)}, ShapeAttrs{});
  c.emit(n, OpKind::kReshape, {result, shape}, ReshapeAttrs{true});
}

}  // namespace edgeconv
