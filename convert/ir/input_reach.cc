#include "convert/ir/input_reach.h"

#include <algorithm>
#include <set>
#include <vector>

namespace edgeconv {

bool reads_an_input(const Graph& g, ValueId v) {
  std::set<ValueId> seen{v};
  for (std::vector<ValueId> open{v}; !open.empty();) {
    const ValueId at = open.back();
    open.pop_back();
    if (std::find(g.inputs.begin(), g.inputs.end(), at) != g.inputs.end()) return true;
    const Node* n = g.producer(at);
    if (n == nullptr || n->kind == OpKind::kShape || n->kind == OpKind::kSize) continue;
    for (const ValueId in : n->inputs)
      if (in != kNone && seen.insert(in).second) open.push_back(in);
  }
  return false;
}

}  // namespace edgeconv
