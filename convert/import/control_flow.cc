// If and Loop. Outer values that a body reads become trailing inputs (SubgraphAttrs). Inference replaces nodes whose condition or trip
// count is known by their bodies (infer/inline_bodies.h).
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_if(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  std::vector<ValueId> inputs = {required_input(c, n, 0)}, captures;
  SubgraphAttrs a = c.bodies(n, {"then_branch", "else_branch"}, captures);
  for (const auto& body : a.bodies)
    if (body->outputs.size() != n.outputs.size())
      throw NodeError("a branch has " + std::to_string(body->outputs.size()) + " outputs, the node has " +
                      std::to_string(n.outputs.size()));
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  c.emit(n, OpKind::kIf, std::move(inputs), std::move(a));
}

void import_loop(ImportContext& c, const OnnxNode& n) {
  if (n.inputs.size() < 2) throw NodeError("it needs a trip count and a condition input");
  std::vector<ValueId> inputs, captures;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(i < 2 ? c.input(n, i) : required_input(c, n, i));
  SubgraphAttrs a = c.bodies(n, {"body"}, captures);
  a.carried = static_cast<int64_t>(n.inputs.size()) - 2;
  const Graph& body = *a.bodies[0];
  if (body.inputs.size() != n.inputs.size() + captures.size())
    throw NodeError("its body does not take the iteration, the condition and the carried values");
  if (body.outputs.size() != n.outputs.size() + 1)
    throw NodeError("its body does not give the condition and one value per output");
  a.carried = static_cast<int64_t>(n.inputs.size()) - 2;
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  c.emit(n, OpKind::kLoop, std::move(inputs), std::move(a));
}

}  // namespace edgeconv
