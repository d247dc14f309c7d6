#include "convert/import_graph/last_marked_token.h"

namespace edgeconv {
namespace {

constexpr int kInt32 = 6;  // TensorProto.INT32

class Finder : public NodePatterns {
 public:
  Finder(const std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs, const ConstantInts& constant)
      : NodePatterns(nodes, outputs), constant_(constant) {}

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
  const ConstantInts& constant_;
};

}  // namespace

void pool_last_marked_token(std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs,
                            const ConstantInts& constant) {
  NodeReplacements replacement;
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
    replacement[whole] = {new_node(*marked, "Cast", {marked->inputs.at(0)}, whole, {{"to", {kInt32}}})};
    replacement[position] = {
        new_node(*swapped, "ArgMax", {whole}, position, {{"axis", {1}}, {"keepdims", {1}}, {"select_last_index", {1}}})};
    replacement[last.outputs.at(0)] = {
        new_node(*tokens, "GatherND", {tokens->inputs.at(0), position}, last.outputs.at(0), {{"batch_dims", {1}}})};
    replacement[tokens->outputs.at(0)] = replacement[rows->outputs.at(0)] = {};
  }
  replace_nodes(nodes, replacement);
}

}  // namespace edgeconv
