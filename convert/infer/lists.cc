// See lists.h. A single number without axes is taken as a list of one, as exporters write it. Pads may be a matrix of one row, as ONNX Runtime takes them.
#include "convert/infer/lists.h"

namespace edgeconv {

namespace {

struct ListInputs {
  OpKind kind;
  size_t first, end;
};
constexpr ListInputs kLists[] = {
    {OpKind::kSlice, 1, 5},           {OpKind::kSplit, 1, 2},   {OpKind::kPad, 3, 4},    {OpKind::kSqueeze, 1, 2},
    {OpKind::kUnsqueeze, 1, 2},       {OpKind::kReshape, 1, 2}, {OpKind::kExpand, 1, 2}, {OpKind::kTile, 1, 2},
    {OpKind::kConstantOfShape, 0, 1}, {OpKind::kResize, 1, 3},
};

}  // namespace

std::string list_fault(const Graph& g, const Node& n) {
  for (const ListInputs& lists : kLists) {
    if (lists.kind != n.kind) continue;
    for (size_t i = lists.first; i < n.inputs.size() && i < lists.end; ++i) {
      if (n.in(i) == kNone) continue;
      const bool scales = n.kind == OpKind::kResize && i == 1;
      if (!scales && !is_integer(g.value(n.in(i)).dtype))
        return "its input '" + g.value(n.in(i)).name + "' is " + std::string(dtype_name(g.value(n.in(i)).dtype)) + " where integers are needed";
      if (g.value(n.in(i)).rank() > 1)
        return "its input '" + g.value(n.in(i)).name + "' has rank " + std::to_string(g.value(n.in(i)).rank()) +
               " where a list is needed";
    }
  }
  return {};
}

}  // namespace edgeconv
