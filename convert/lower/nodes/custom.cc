// Custom: the node as it is in the file, for a kernel that the application registers.
#include <algorithm>

#include "convert/lower/lower.h"
#include "rt/ops/op.h"

namespace edgeconv {

using ert::params::OpCode;

void lower_custom(LowerContext& c, const Node& n) {
  const CustomAttrs& a = n.as<CustomAttrs>();
  if (n.inputs.size() + n.outputs.size() > static_cast<size_t>(ert::kMaxOperands))
    return c.unsupported(n, "more than " + std::to_string(ert::kMaxOperands) + " inputs and outputs", "split the operator");
  std::vector<int> inputs, outputs;
  for (ValueId v : n.inputs) inputs.push_back(c.operand(v));
  for (ValueId v : n.outputs) outputs.push_back(v == kNone ? -1 : c.result(v));
  // Nodes of equal name and attributes share an entry.
  auto& all = c.program.custom_ops;
  const TargetCustomOp op{a.domain + "::" + a.name, a.attributes};
  const auto known = std::find(all.begin(), all.end(), op);
  const auto index = static_cast<int32_t>(known - all.begin());
  if (known == all.end()) all.push_back(op);
  c.op(n, OpCode::kCustom, std::move(inputs), std::move(outputs), {index});
}

}  // namespace edgeconv
