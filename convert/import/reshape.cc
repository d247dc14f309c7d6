// Reshape: 0 copies a size unless allowzero (opset 14), -1 is solved.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_reshape(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  // Up to opset 4 the shape was an attribute.
  const ValueId shape = n.has("shape") ? ints(c, n, n.integers("shape")) : required_input(c, n, 1);
  if (const auto known = constant_ints(c, shape)) {
    int unknown = 0;
    for (int64_t d : *known) {
      if (d < -1) throw NodeError("the new shape has the size " + std::to_string(d));
      unknown += d == -1 ? 1 : 0;
    }
    if (unknown > 1) throw NodeError("the new shape has more than one -1");
  }
  c.emit(n, OpKind::kReshape, {x, shape}, ReshapeAttrs{n.integer("allowzero", 0) != 0});
}

}  // namespace edgeconv
