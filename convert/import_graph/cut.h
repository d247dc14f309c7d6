// The part of a graph that chosen values need: what --outputs leaves of a file. Works on names, before anything is imported, so that what a tail holds
// (operators, types, inputs of its own) is never judged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/onnx/model.h"

namespace edgeconv {

// An input of the file that only the part behind the chosen outputs reads.
struct CutInput {
  size_t position;  // among the inputs of the file
  std::string name;
};

// Makes the values of these names the outputs, in this order, and takes away the nodes, initializers and inputs that none of them needs; inputs that no
// node of the
// file reads stay. nodes: of the graph, functions expanded. Throws FatalError(kUsage) for a name that the graph does not have, with those near it.
std::vector<CutInput> cut_graph(pb::GraphProto& graph, std::vector<OnnxNode>& nodes, const std::vector<std::string>& outputs);

// Lines for people: the chosen outputs, and the inputs that were cut away; empty without any.
std::string cut_lines(const std::vector<std::string>& chosen, const std::vector<CutInput>& cut);

// What reads what in a file, by names: for advice where to cut it.
struct FileGraph {
  struct Node {
    std::string name;  // as problems have it
    std::vector<std::string> reads, outputs;
    std::vector<std::string> inner = {};  // names of nodes in its bodies
    bool sizes_only = false;              // it reads shapes, not contents
  };
  std::vector<Node> nodes;  // in dependency order
  std::vector<std::string> inputs, outputs;
  std::unordered_map<std::string, int64_t> weights;  // elements of initializers
};

}  // namespace edgeconv
