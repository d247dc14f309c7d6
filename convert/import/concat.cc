// Concat along an axis (default 1 up to opset 3).
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_concat(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(required_input(c, n, i));
  if (inputs.empty()) throw NodeError("it has no inputs");
  c.emit(n, OpKind::kConcat, std::move(inputs), AxisAttrs{n.integer("axis")});
}

}  // namespace edgeconv
