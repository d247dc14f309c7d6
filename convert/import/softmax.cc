// Softmax and LogSoftmax. From opset 13 on they work along one axis. Before, the input was flattened to a matrix at the axis
// (default 1), which is the same only for the last axis.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

void import_along_axis(ImportContext& c, const OnnxNode& n, OpKind kind) {
  const ValueId x = required_input(c, n, 0);
  if (c.opset("") >= 13) {
    c.emit(n, kind, {x}, AxisAttrs{n.integer("axis", -1)});
    return;
  }
  const int64_t axis = n.integer("axis", 1);
  const int rank = rank_hint(c.graph(), x);
  if (rank == 0) throw NodeError("its input has no axes");
  if (axis == -1 || (rank >= 0 && axis == rank - 1)) {
    c.emit(n, kind, {x}, AxisAttrs{-1});
    return;
  }
  const ValueId matrix = c.inner(n, OpKind::kFlatten, {x}, AxisAttrs{axis});
  const ValueId rows = c.inner(n, kind, {matrix}, AxisAttrs{-1});
  c.emit(n, OpKind::kReshape, {rows, c.inner(n, OpKind::kShape, {x}, ShapeAttrs{})}, ReshapeAttrs{true});
}

}  // namespace

void import_softmax(ImportContext& c, const OnnxNode& n) { import_along_axis(c, n, OpKind::kSoftmax); }
void import_log_softmax(ImportContext& c, const OnnxNode& n) { import_along_axis(c, n, OpKind::kLogSoftmax); }

}  // namespace edgeconv
