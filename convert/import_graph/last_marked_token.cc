#include "convert/import_graph/last_marked_token.h"

#include <unordered_map>
#include <utility>

#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

constexpr int kInt = 2, kInt32 = 6;  // AttributeProto.INT, TensorProto.INT32

OnnxNode new_node(const OnnxNode& like, const char* op, std::vector<std::string> inputs, std::string output,
                  const std::vector<std::pair<const char*, int64_t>>& attributes) {
  auto proto = std::make_shared<pb::NodeProto>();
  for (const auto& [name, value] : attributes) {
    auto* a = proto->add_attribute();
    a->set_name(name);
    a->set_type(kInt);
    a->set_i(value);
  }
  OnnxNode n = like;
  n.op_type = op;
  n.inputs = std::move(inputs);
  n.outputs = {std::move(output)};
  n.proto = proto.get();
  n.owned = std::move(proto);
  return n;
}

class Finder {
 public:
  Finder(const std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs, const ConstantInts& constant)
      : nodes_(nodes), constant_(constant) {
    for (const std::string& o : outputs) ++readers_[o];
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& o : nodes[i].outputs) makers_.emplace(o, i);
      for (const std::string& in : nodes[i].inputs) ++readers_[in];
    }
  }

  // The node of this type that makes a node's input i, or null.
  const OnnxNode* maker(const OnnxNode* n, size_t i, const char* op) const {
    if (n == nullptr || !n->has_input(i)) return nullptr;
    const auto it = makers_.find(n->inputs[i]);
    return it != makers_.end() && nodes_[it->second].op_type == op && nodes_[it->second].domain.empty() ? &nodes_[it->second]
                                                                                                        : nullptr;
  }
  // The same, where nobody else reads it.
  const OnnxNode* only_maker(const OnnxNode* n, size_t i, const char* op) const {
    const OnnxNode* m = maker(n, i, op);
    return m != nullptr && readers_.at(n->inputs[i]) == 1 ? m : nullptr;
  }
  std::optional<KnownInts> ints(const OnnxNode* n, size_t i) const {
    if (n == nullptr || !n->has_input(i)) return std::nullopt;
    return constant_(n->inputs[i], maker(n, i, "Constant"));
  }
  bool is(const OnnxNode* n, size_t i, int64_t value, bool scalar) const {
    const auto known = ints(n, i);
    return known && known->values == std::vector<int64_t>{value} && known->scalar == scalar;
  }
  // Unsqueeze(Gather(Shape(x), 0)): the size of the first axis.
  bool is_batch_size(const OnnxNode* concat) const {
    const OnnxNode* size = maker(maker(concat, 0, "Unsqueeze"), 0, "Gather");
    return maker(size, 0, "Shape") != nullptr && is(size, 1, 0, true);
  }

 private:
  const std::vector<OnnxNode>& nodes_;
  const ConstantInts& constant_;
  std::unordered_map<std::string, size_t> makers_;
  std::unordered_map<std::string, int> readers_;
};

}  // namespace

void pool_last_marked_token(std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs,
                            const ConstantInts& constant) {
  std::unordered_map<std::string, std::vector<OnnxNode>> replacement;  // by output; no nodes: it goes
  const Finder find(nodes, outputs, constant);
  for (const OnnxNode& last : nodes) {
    if (last.op_type != "Gather" || !last.domain.empty()) continue;
    const OnnxNode *rows = find.only_maker(&last, 0, "Reshape"), *tokens = find.only_maker(rows, 0, "GatherND"),
                   *swapped = find.only_maker(tokens, 1, "Transpose"), *marked = find.only_maker(swapped, 0, "NonZero"),
                   *sizes = find.maker(rows, 1, "Concat");
    if (marked == nullptr || sizes == nullptr || sizes->inputs.size() != 3 || last.integer("axis", 0) != 1 ||
        tokens->integer("batch_dims", 0) != 0 || swapped->integers("perm") != std::vector<int64_t>{1, 0} ||
        !find.is(&last, 1, -1, true) || !find.is(sizes, 1, -1, false) || !find.is_batch_size(sizes))
      continue;
    const std::string &whole = marked->outputs.at(0), &position = swapped->outputs.at(0);
    replacement[whole] = {new_node(*marked, "Cast", {marked->inputs.at(0)}, whole, {{"to", kInt32}})};
    replacement[position] = {
        new_node(*swapped, "ArgMax", {whole}, position, {{"axis", 1}, {"keepdims", 1}, {"select_last_index", 1}})};
    replacement[last.outputs.at(0)] = {
        new_node(*tokens, "GatherND", {tokens->inputs.at(0), position}, last.outputs.at(0), {{"batch_dims", 1}})};
    replacement[tokens->outputs.at(0)] = replacement[rows->outputs.at(0)] = {};
  }
  if (replacement.empty()) return;
  std::vector<OnnxNode> kept;
  for (OnnxNode& n : nodes) {
    const auto it = n.has_output(0) ? replacement.find(n.outputs[0]) : replacement.end();
    if (it == replacement.end())
      kept.push_back(std::move(n));
    else
      kept.insert(kept.end(), it->second.begin(), it->second.end());
  }
  nodes = std::move(kept);
}

}  // namespace edgeconv
