// Forms of several nodes in a file that are found, and written in other nodes, before any of them is imported.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "convert/onnx/model.h"

namespace edgeconv {

// Who makes and who reads the values of a list of nodes, which must outlive it and stay as it is.
class NodePatterns {
 public:
  // outputs: names that the graph gives out, one reader each.
  NodePatterns(const std::vector<OnnxNode>& nodes, const std::unordered_set<std::string>& outputs);

  // The node of this type, of ONNX's own domain, that makes a node's input i, or null.
  const OnnxNode* maker(const OnnxNode* n, size_t i, const char* op) const;
  // The same, where nobody else reads it.
  const OnnxNode* only_maker(const OnnxNode* n, size_t i, const char* op) const;
  // Whether any of them makes or reads it, or the graph gives it out.
  bool has(const std::string& name) const { return makers_.count(name) > 0 || readers_.count(name) > 0; }

 private:
  const std::vector<OnnxNode>& nodes_;
  std::unordered_map<std::string, size_t> makers_;
  std::unordered_map<std::string, int> readers_;
};

struct KnownInts {
  std::vector<int64_t> values;
  bool scalar = false;
};
// The one integer of an initializer, or in attribute 'value' of `maker` (Constant, ConstantOfShape) where that is not null.
using ConstantInts = std::function<std::optional<KnownInts>(const std::string& name, const OnnxNode* maker)>;

// A node with the name, place and operator sets of `like`. An attribute of one number is an INT, or INTS where its name says so (value_ints).
OnnxNode new_node(const OnnxNode& like, const char* op, std::vector<std::string> inputs, std::string output,
                  const std::vector<std::pair<const char*, std::vector<int64_t>>>& attributes = {});

// Nodes in the place of those that make an output; none: the node goes.
using NodeReplacements = std::unordered_map<std::string, std::vector<OnnxNode>>;
void replace_nodes(std::vector<OnnxNode>& nodes, const NodeReplacements& by_output);

}  // namespace edgeconv
