// Slice: attributes up to opset 9, inputs afterwards.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_slice(ImportContext& c, const OnnxNode& n) {
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  if (n.has("starts")) {
    const auto starts = n.integers("starts"), ends = n.integers("ends");
    auto axes = n.integers("axes");
    if (axes.empty())
      for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (starts.size() != ends.size() || starts.size() != axes.size()) throw NodeError("starts, ends and axes differ in length");
    inputs.insert(inputs.end(), {ints(c, n, starts), ints(c, n, ends), ints(c, n, axes)});
  } else {
    check_input_count(n, 3, 5);
    for (size_t i = 1; i < 5; ++i) inputs.push_back(i < 3 ? required_input(c, n, i) : c.input(n, i));
    if (const auto steps = constant_ints(c, inputs[4]))
      for (int64_t s : *steps)
        if (s == 0) throw NodeError("a step is 0");
    while (inputs.back() == kNone) inputs.pop_back();
  }
  c.emit(n, OpKind::kSlice, std::move(inputs));
}

}  // namespace edgeconv
