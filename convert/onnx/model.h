// A node of the file as importers see it: resolved names, and attributes by name and type.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

namespace pb {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace pb

// The node contradicts the ONNX specification (exit 3). Thrown by importers and attribute access, caught per node.
struct NodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The node is valid but the converter cannot express it (exit 4). Thrown by importers, caught per node.
struct NodeUnsupported : std::runtime_error {
  NodeUnsupported(const std::string& reason, std::string advice) : std::runtime_error(reason), hint(std::move(advice)) {}
  std::string hint;
};

// The rank of an input is not known, which may follow from another problem.
struct RankNotKnown : NodeUnsupported {
  using NodeUnsupported::NodeUnsupported;
};

using OpsetMap = std::map<std::string, int>;  // domain ("" for ai.onnx) -> version

struct OnnxNode {
  std::string name;  // the node's name, or its first output's
  std::string op_type;
  std::string domain;                        // "" for ai.onnx
  std::string scope;                         // torch module path, where the exporter wrote it
  std::vector<std::string> inputs, outputs;  // "" = absent
  const pb::NodeProto* proto = nullptr;
  std::shared_ptr<const OpsetMap> opsets;      // of the model, or of the function that the node was inlined from
  std::shared_ptr<const pb::NodeProto> owned;  // keeps proto alive when it was made by inlining

  bool has(const char* attribute) const;
  // Each throws NodeError when the attribute is there with another type.
  int64_t integer(const char* attribute, int64_t fallback) const;
  int64_t integer(const char* attribute) const;  // required
  float number(const char* attribute, float fallback) const;
  std::string text(const char* attribute, const std::string& fallback) const;
  std::string text(const char* attribute) const;               // required
  std::vector<int64_t> integers(const char* attribute) const;  // empty when absent
  std::vector<float> numbers(const char* attribute) const;
  std::vector<std::string> texts(const char* attribute) const;
  const pb::GraphProto& graph(const char* attribute) const;  // required
  const pb::AttributeProto* find(const char* attribute) const;

  bool has_input(size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
  bool has_output(size_t i) const { return i < outputs.size() && !outputs[i].empty(); }
};

OnnxNode make_node(const pb::NodeProto& proto, std::shared_ptr<const OpsetMap> opsets);

// "ai.onnx::NonZero(13)"
std::string op_label(const OnnxNode& n);

std::string normal_domain(const std::string& domain);  // "ai.onnx" -> ""

}  // namespace edgeconv
