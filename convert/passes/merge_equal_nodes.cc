// Common subexpressions: nodes of the same kind with the same operands and attributes, and constants with the same bytes.
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// An application's operator may have effects that nobody knows here; bodies are not compared.
bool may_merge(OpKind k) { return k != OpKind::kCustom && k != OpKind::kIf && k != OpKind::kLoop; }

// Values that others stand for. Readers are led past them when they are met: a walk over all nodes for each would be quadratic.
class Merged {
 public:
  explicit Merged(const Graph& g) : stands_for_(g.values.size(), kNone) {}
  void add(ValueId v, ValueId other) { stands_for_[static_cast<size_t>(v)] = other, ++count_; }
  int count() const { return count_; }
  void redirect(Node& n) const {
    for (ValueId& v : n.inputs)
      while (v != kNone && stands_for_[static_cast<size_t>(v)] != kNone) v = stands_for_[static_cast<size_t>(v)];
  }

 private:
  std::vector<ValueId> stands_for_;
  int count_ = 0;
};

size_t hash_of(const Tensor& t) { return std::hash<std::string_view>()({reinterpret_cast<const char*>(t.data()), t.bytes()}); }

void merge_constants(Graph& g, Merged& merged) {
  std::map<std::tuple<int64_t, int, size_t>, std::vector<ValueId>> by_content;
  std::vector<char> used(g.values.size(), 0);
  for (const Node& n : g.nodes)
    if (!n.dead)
      for (ValueId v : n.inputs)
        if (v != kNone) used[static_cast<size_t>(v)] = 1;
  for (size_t v = 0; v < g.values.size(); ++v) {
    const Value& value = g.values[v];
    if (!used[v] || !value.constant || value.producer != kNone || g.is_output(static_cast<ValueId>(v))) continue;
    std::vector<ValueId>& alike =
        by_content[{value.constant->elements(), static_cast<int>(value.dtype), hash_of(*value.constant)}];
    const auto same = std::find_if(alike.begin(), alike.end(),
                                   [&](ValueId other) { return g.value(other).constant->same_bytes(*value.constant); });
    if (same == alike.end()) {
      alike.push_back(static_cast<ValueId>(v));
      continue;
    }
    if (!g.value(*same).quantized) g.value(*same).quantized = value.quantized;
    merged.add(static_cast<ValueId>(v), *same);
  }
}

}  // namespace

int pass_merge_equal_nodes(Graph& g, Diagnostics&) {
  Merged merged(g);
  merge_constants(g, merged);
  std::map<std::pair<OpKind, std::vector<ValueId>>, std::vector<NodeId>> seen;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    Node& n = g.nodes[i];
    merged.redirect(n);
    if (n.dead || !may_merge(n.kind) || n.outputs.size() != 1 || n.outputs[0] == kNone || g.is_output(n.outputs[0])) continue;
    std::vector<NodeId>& alike = seen[{n.kind, n.inputs}];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](NodeId other) { return g.node(other).attrs == n.attrs; });
    if (same == alike.end()) {
      alike.push_back(static_cast<NodeId>(i));
      continue;
    }
    merged.add(n.outputs[0], g.node(*same).outputs[0]);
    n.dead = true;
  }
  for (Node& n : g.nodes) merged.redirect(n);  // those that stand before what they read
  return merged.count();
}

}  // namespace edgeconv
