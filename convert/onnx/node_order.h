// The order in which nodes of a graph can be imported: files need not be sorted.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "convert/onnx/model.h"

namespace edgeconv {

struct NodeOrder {
  struct Duplicate {
    std::string name;
    size_t first, again;  // the nodes
  };
  std::vector<size_t> order;             // indices into nodes; those on or behind a cycle are missing
  std::vector<size_t> cyclic;            // the missing ones
  std::vector<Duplicate> duplicates;     // names that more than one node produces
  std::unordered_set<std::string> read;  // names that any node or inner graph reads
};

// The names that a node reads, those that its inner graphs mention included.
std::unordered_set<std::string> names_read(const OnnxNode& n);

NodeOrder order_nodes(const std::vector<OnnxNode>& nodes);

}  // namespace edgeconv
