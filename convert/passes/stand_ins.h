// Values that others stand for, for passes that remove many nodes: a walk over all readers for each would take the square of their number.
#pragma once

#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

class StandIns {
 public:
  explicit StandIns(const Graph& g) : stands_for_(g.values.size(), kNone) {}

  // v is no output of the graph, and existed when this was made; values that were added since stand for themselves.
  void add(ValueId v, ValueId other) { stands_for_[static_cast<size_t>(v)] = other, ++count_; }
  int count() const { return count_; }

  // Leads a node past what others stand for: before it is looked at, ...
  void redirect(Node& n) const {
    for (ValueId& v : n.inputs)
      while (has_one(v)) v = stands_for_[static_cast<size_t>(v)];
  }
  // ... and at the end all, because some may stand before what they read.
  void redirect_all(Graph& g) const {
    for (Node& n : g.nodes)
      if (!n.dead) redirect(n);
  }

 private:
  bool has_one(ValueId v) const {
    return v != kNone && static_cast<size_t>(v) < stands_for_.size() && stands_for_[static_cast<size_t>(v)] != kNone;
  }

  std::vector<ValueId> stands_for_;
  int count_ = 0;
};

}  // namespace edgeconv
