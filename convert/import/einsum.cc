// Einsum; inference checks the equation against the ranks.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_einsum(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(required_input(c, n, i));
  if (inputs.empty()) throw NodeError("it has no inputs");
  c.emit(n, OpKind::kEinsum, std::move(inputs), EinsumAttrs{n.text("equation")});
}

}  // namespace edgeconv
