// Split: sizes are an attribute up to opset 12, an input afterwards, or num_outputs equal parts (opset 18, the last may be
// smaller).
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_split(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 2);
  SplitAttrs a;
  a.axis = n.integer("axis", 0);
  a.sizes = n.integers("split");
  a.num_outputs = n.integer("num_outputs", static_cast<int64_t>(n.outputs.size()));
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  if (const ValueId sizes = c.input(n, 1); sizes != kNone) {
    if (const auto known = constant_ints(c, sizes))
      a.sizes = *known;
    else
      inputs.push_back(sizes);
  }
  for (int64_t s : a.sizes)
    if (s < 0) throw NodeError("a part has a negative size");
  if (!a.sizes.empty() && a.sizes.size() != n.outputs.size())
    throw NodeError("it has " + std::to_string(n.outputs.size()) + " outputs and " + std::to_string(a.sizes.size()) + " sizes");
  if (a.num_outputs != static_cast<int64_t>(n.outputs.size()))
    throw NodeError("attribute 'num_outputs' is not the number of its outputs");
  c.emit(n, OpKind::kSplit, std::move(inputs), std::move(a));
}

}  // namespace edgeconv
