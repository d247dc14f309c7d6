// Readers of values for passes that change the graph as they go: brought up to date by what a change added and took, where listing them anew
// for each change would take the square of their number.
#pragma once

#include <algorithm>

#include "convert/passes/match.h"

namespace edgeconv {

class LiveUsers {
 public:
  explicit LiveUsers(const Graph& g) : g_(g), users_(g.users()), nodes_(g.nodes.size()) {
    for (const Value& v : g.values) makers_.push_back(v.producer);
  }
  const Users& get() const { return users_; }

  // The same as Graph::users(), after nodes were added and old makers of their outputs died (redefine).
  void update() {
    users_.resize(g_.values.size());
    makers_.resize(g_.values.size(), kNone);
    for (; nodes_ < g_.nodes.size(); ++nodes_) {
      const Node& n = g_.nodes[nodes_];
      for (ValueId v : n.outputs)
        if (v != kNone) replace_maker(v);
      if (n.dead) continue;
      for (ValueId v : n.inputs)
        if (v != kNone) users_[static_cast<size_t>(v)].push_back(static_cast<NodeId>(nodes_));
    }
  }
  // Of a node that died otherwise.
  void remove(NodeId id) {
    for (ValueId v : g_.node(id).inputs)
      if (v != kNone) std::erase(users_[static_cast<size_t>(v)], id);
  }

 private:
  void replace_maker(ValueId v) {
    NodeId& maker = makers_[static_cast<size_t>(v)];
    if (maker != kNone && g_.node(maker).dead) remove(maker);
    maker = g_.value(v).producer;
  }

  const Graph& g_;
  Users users_;
  std::vector<NodeId> makers_;
  size_t nodes_;
};

}  // namespace edgeconv
