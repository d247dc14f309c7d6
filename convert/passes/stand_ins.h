// Values that others stand for, for passes that remove many nodes: Graph::replace_uses walks over all nodes for each.
#pragma once

#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

class StandIns {
 public:
  explicit StandIns(const Graph& g) : stands_for_(g.values.size(), kNone) {}

  // v is no output of the graph, and existed when this was made.
  void add(ValueId v, ValueId other) { stands_for_[static_cast<size_t>(v)] = other, ++count_; }
  int count() const { return count_; }

  // Leads a node past what others stand for: before it is looked at, ...
  void redirect(Node& n) const {
    for (ValueId& v : n.inputs)
      while (v != kNone && stands_for_[static_cast<size_t>(v)] != kNone) v = stands_for_[static_cast<size_t>(v)];
  }
  // ... and at the end all, because some may stand before what they read.
  void redirect_all(Graph& g) const {
    for (Node& n : g.nodes)
      if (!n.dead) redirect(n);
  }

 private:
  std::vector<ValueId> stands_for_;
  int count_ = 0;
};

}  // namespace edgeconv
