// Flatten to a matrix at an axis.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_flatten(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kFlatten, {required_input(c, n, 0)}, AxisAttrs{n.integer("axis", 1)});
}

}  // namespace edgeconv
