#include "convert/import_graph/node_patterns.h"

#include <memory>
#include <string_view>

#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

constexpr int kInt = 2, kInts = 7;  // AttributeProto

}  // namespace

NodePatterns::NodePatterns(const std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs) : nodes_(nodes) {
  for (const std::string& o : outputs) ++readers_[o];
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& o : nodes[i].outputs) makers_.emplace(o, i);
    for (const std::string& in : nodes[i].inputs) ++readers_[in];
  }
}

const OnnxNode* NodePatterns::maker(const OnnxNode* n, size_t i, const char* op) const {
  if (n == nullptr || !n->has_input(i)) return nullptr;
  const auto it = makers_.find(n->inputs[i]);
  return it != makers_.end() && nodes_[it->second].op_type == op && nodes_[it->second].domain.empty() ? &nodes_[it->second]
                                                                                                      : nullptr;
}

const OnnxNode* NodePatterns::only_maker(const OnnxNode* n, size_t i, const char* op) const {
  const OnnxNode* m = maker(n, i, op);
  return m != nullptr && readers_.at(n->inputs[i]) == 1 ? m : nullptr;
}

OnnxNode new_node(const OnnxNode& like, const char* op, std::vector<std::string> inputs, std::string output,
                  const std::vector<std::pair<const char*, std::vector<int64_t>>>& attributes) {
  auto proto = std::make_shared<pb::NodeProto>();
  for (const auto& [name, values] : attributes) {
    auto* a = proto->add_attribute();
    a->set_name(name);
    if (std::string_view(name).ends_with("ints")) {
      a->set_type(kInts);
      for (const int64_t v : values) a->add_ints(v);
    } else {
      a->set_type(kInt);
      a->set_i(values.at(0));
    }
  }
  OnnxNode n = like;
  n.op_type = op;
  n.inputs = std::move(inputs);
  n.outputs = {std::move(output)};
  n.proto = proto.get();
  n.owned = std::move(proto);
  return n;
}

void replace_nodes(std::vector<OnnxNode>& nodes, const NodeReplacements& by_output) {
  if (by_output.empty()) return;
  std::vector<OnnxNode> kept;
  for (OnnxNode& n : nodes) {
    const auto it = n.has_output(0) ? by_output.find(n.outputs[0]) : by_output.end();
    if (it == by_output.end())
      kept.push_back(std::move(n));
    else
      kept.insert(kept.end(), it->second.begin(), it->second.end());
  }
  nodes = std::move(kept);
}

}  // namespace edgeconv
