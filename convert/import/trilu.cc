// Trilu: upper or lower triangle from the k-th diagonal.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_trilu(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  if (const ValueId k = c.input(n, 1); k != kNone) inputs.push_back(k);
  c.emit(n, OpKind::kTrilu, std::move(inputs), TriluAttrs{n.integer("upper", 1) != 0});
}

}  // namespace edgeconv
