// Pad: attributes up to opset 10, inputs afterwards, an axes input from opset 18.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_pad(ImportContext& c, const OnnxNode& n) {
  const std::string mode = n.text("mode", "constant");
  PadAttrs a;
  if (mode == "reflect")
    a.mode = ert::params::pad::kReflect;
  else if (mode == "edge")
    a.mode = ert::params::pad::kEdge;
  else if (mode == "wrap")
    a.mode = ert::params::pad::kWrap;
  else if (mode != "constant")
    throw NodeError("attribute 'mode' is none of constant, reflect, edge, wrap");
  const ValueId x = required_input(c, n, 0);
  std::vector<ValueId> inputs = {x};
  if (n.has("pads")) {
    inputs.push_back(ints(c, n, n.integers("pads")));
    inputs.push_back(scalar_like(c, n, x, n.number("value", 0)));
  } else {
    inputs.push_back(required_input(c, n, 1));
    inputs.push_back(c.input(n, 2));
    inputs.push_back(c.input(n, 3));
    while (inputs.back() == kNone) inputs.pop_back();
  }
  c.emit(n, OpKind::kPad, std::move(inputs), a);
}

}  // namespace edgeconv
