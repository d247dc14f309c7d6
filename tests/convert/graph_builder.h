// Small graphs written by hand, for tests of inference and of the interpreter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv_test {

struct GraphBuilder {
  edgeconv::Graph g;
  edgeconv::Origin origin{"node", "test", ""};

  edgeconv::ValueId input(const std::string& name, edgeconv::DType t, edgeconv::Shape s) {
    const edgeconv::ValueId v = g.add_value(name, t, std::move(s));
    g.inputs.push_back(v);
    return v;
  }
  edgeconv::ValueId ints(const std::vector<int64_t>& v) {
    return g.add_constant("c" + std::to_string(g.values.size()), edgeconv::Tensor::ints(v));
  }
  edgeconv::ValueId scalar(int64_t v) {
    return g.add_constant("c" + std::to_string(g.values.size()), edgeconv::Tensor::scalar(v));
  }
  edgeconv::ValueId scalar(float v) { return g.add_constant("c" + std::to_string(g.values.size()), edgeconv::Tensor::scalar(v)); }
  edgeconv::ValueId floats(std::vector<int64_t> dims, const std::vector<float>& v) {
    return g.add_constant("c" + std::to_string(g.values.size()),
                          edgeconv::Tensor::of<float>(edgeconv::DType::kFloat, std::move(dims), v));
  }
  edgeconv::ValueId node(edgeconv::OpKind kind, std::vector<edgeconv::ValueId> inputs, edgeconv::Attributes attrs = {}) {
    origin.node = "node" + std::to_string(g.nodes.size());
    origin.op_type = std::string(edgeconv::op_name(kind));
    return g.add_node(kind, std::move(inputs), std::move(attrs), origin);
  }
  std::vector<edgeconv::ValueId> nodes(edgeconv::OpKind kind, std::vector<edgeconv::ValueId> inputs, size_t outputs,
                                       edgeconv::Attributes attrs = {}) {
    std::vector<edgeconv::ValueId> out;
    for (size_t i = 0; i < outputs; ++i) out.push_back(g.add_value("v" + std::to_string(g.values.size())));
    origin.node = "node" + std::to_string(g.nodes.size());
    origin.op_type = std::string(edgeconv::op_name(kind));
    g.add_node_with_outputs(kind, std::move(inputs), out, std::move(attrs), origin);
    return out;
  }
  void output(edgeconv::ValueId v) { g.outputs.push_back(v); }
};

}  // namespace edgeconv_test
