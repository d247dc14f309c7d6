// Shape (with start and end from opset 15) and Size.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_shape(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kShape, {required_input(c, n, 0)}, ShapeAttrs{n.integer("start", 0), n.integer("end", INT64_MAX)});
}

void import_size(ImportContext& c, const OnnxNode& n) { c.emit(n, OpKind::kSize, {required_input(c, n, 0)}); }

}  // namespace edgeconv
