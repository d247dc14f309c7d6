// Squeeze and Unsqueeze: axes are an attribute up to opset 12, an input afterwards.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

void import_axes(ImportContext& c, const OnnxNode& n, OpKind kind) {
  check_input_count(n, 1, 2);
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  AxesAttrs a{n.integers("axes")};
  if (const ValueId axes = c.input(n, 1); axes != kNone) {
    if (const auto known = constant_ints(c, axes))
      a.axes = *known;
    else
      inputs.push_back(axes);
  } else if (kind == OpKind::kUnsqueeze && !n.has("axes")) {
    throw NodeError("it has no axes");
  }
  c.emit(n, kind, std::move(inputs), std::move(a));
}

}  // namespace

void import_squeeze(ImportContext& c, const OnnxNode& n) { import_axes(c, n, OpKind::kSqueeze); }
void import_unsqueeze(ImportContext& c, const OnnxNode& n) { import_axes(c, n, OpKind::kUnsqueeze); }

}  // namespace edgeconv
