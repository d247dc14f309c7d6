#include "convert/import_graph/indices_of_ones.h"

#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

constexpr int kInt64 = 7;              // TensorProto.INT64
constexpr int kOpsetOfValueInts = 12;  // Constant's attributes; Range is there from 11 on

bool fills_with_ones(const OnnxNode& n, const ConstantInts& constant) {
  const pb::AttributeProto* value = n.find("value");
  if (value == nullptr || value->t().data_type() != kInt64) return false;  // zeros, where there is none
  const auto known = constant(n.outputs[0], &n);
  return known && known->values == std::vector<int64_t>{1};
}

}  // namespace

void count_indices_of_ones(std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs,
                           const ConstantInts& constant, const std::function<bool(const std::string&)>& is_taken) {
  const NodePatterns find(nodes, outputs);
  NodeReplacements replacement;
  for (const OnnxNode& n : nodes) {
    if (n.op_type != "NonZero" || !n.domain.empty() || !n.has_output(0)) continue;
    const OnnxNode* ones = find.maker(&n, 0, "ConstantOfShape");
    // A shape is a vector, so what Unsqueeze makes one of is a number.
    const OnnxNode* shape = find.maker(ones, 0, "Unsqueeze");
    if (shape == nullptr || !shape->has_input(0) || !fills_with_ones(*ones, constant) || !n.opsets || !n.opsets->count("") ||
        n.opsets->at("") < kOpsetOfValueInts)
      continue;
    const std::string &whole = n.outputs[0], first = whole + "/first", step = whole + "/step", row = whole + "/row", sizes = whole + "/sizes";
    const auto taken = [&](const std::string& name) { return find.has(name) || is_taken(name); };
    if (taken(first) || taken(step) || taken(row) || taken(sizes)) continue;
    replacement[whole] = {new_node(n, "Constant", {}, first, {{"value_int", {0}}}), new_node(n, "Constant", {}, step, {{"value_int", {1}}}),
                          new_node(n, "Range", {first, shape->inputs[0], step}, row),
                          new_node(n, "Constant", {}, sizes, {{"value_ints", {1, -1}}}), new_node(n, "Reshape", {row, sizes}, whole)};
  }
  replace_nodes(nodes, replacement);
}

}  // namespace edgeconv
