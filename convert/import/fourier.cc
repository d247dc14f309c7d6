// DFT and STFT.
#include "convert/import/building_blocks.h"

namespace edgeconv {

// Opset 17: the axis is an attribute, 1 if not given. From 20 on it is an input, -2 if not given.
void import_dft(ImportContext& c, const OnnxNode& n) {
  const bool axis_is_input = c.opset("") >= 20;
  check_input_count(n, 1, axis_is_input ? 3 : 2);
  DftAttrs a;
  a.inverse = n.integer("inverse", 0) != 0;
  a.onesided = n.integer("onesided", 0) != 0;
  a.axis = axis_is_input ? -2 : n.integer("axis", 1);
  if (const ValueId axis = c.input(n, 2); axis != kNone) {
    const auto given = constant_ints(c, axis);
    if (!given) refuse("its axis is computed by the model", "export it with a constant axis");
    if (given->size() != 1) throw NodeError("its axis is not one number");
    a.axis = (*given)[0];
  }
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  if (const ValueId length = c.input(n, 1); length != kNone) inputs.push_back(length);
  c.emit(n, OpKind::kDft, std::move(inputs), a);
}

void import_stft(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 4);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1), c.input(n, 2), c.input(n, 3)};
  while (inputs.back() == kNone) inputs.pop_back();
  c.emit(n, OpKind::kStft, std::move(inputs), StftAttrs{n.integer("onesided", 1) != 0});
}

}  // namespace edgeconv
