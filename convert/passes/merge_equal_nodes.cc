// Common subexpressions: nodes of the same kind with the same operands and attributes, and constants with the same bytes.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// An application's operator may have effects that nobody knows here; bodies are not compared.
bool may_merge(OpKind k) { return k != OpKind::kCustom && k != OpKind::kIf && k != OpKind::kLoop; }

int merge_constants(Graph& g) {
  std::multimap<std::pair<int64_t, int>, ValueId> by_size;
  int merged = 0;
  std::vector<char> used(g.values.size(), 0);
  for (const Node& n : g.nodes)
    if (!n.dead)
      for (ValueId v : n.inputs)
        if (v != kNone) used[static_cast<size_t>(v)] = 1;
  for (size_t v = 0; v < g.values.size(); ++v) {
    const Value& value = g.values[v];
    if (!used[v] || !value.constant || value.producer != kNone || g.is_output(static_cast<ValueId>(v))) continue;
    const std::pair key(value.constant->elements(), static_cast<int>(value.dtype));
    const auto [first, last] = by_size.equal_range(key);
    bool found = false;
    for (auto it = first; it != last && !found; ++it)
      if (g.value(it->second).constant->same_bytes(*value.constant)) {
        if (!g.value(it->second).quantized) g.value(it->second).quantized = value.quantized;
        g.replace_uses(static_cast<ValueId>(v), it->second);
        found = true;
        ++merged;
      }
    if (!found) by_size.emplace(key, static_cast<ValueId>(v));
  }
  return merged;
}

}  // namespace

int pass_merge_equal_nodes(Graph& g, Diagnostics&) {
  int merged = merge_constants(g);
  std::map<std::pair<OpKind, std::vector<ValueId>>, std::vector<NodeId>> seen;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    Node& n = g.nodes[i];
    if (n.dead || !may_merge(n.kind) || n.outputs.size() != 1 || n.outputs[0] == kNone || g.is_output(n.outputs[0])) continue;
    std::vector<NodeId>& alike = seen[{n.kind, n.inputs}];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](NodeId other) { return g.node(other).attrs == n.attrs; });
    if (same == alike.end()) {
      alike.push_back(static_cast<NodeId>(i));
      continue;
    }
    g.replace_uses(n.outputs[0], g.node(*same).outputs[0]);
    n.dead = true;
    ++merged;
  }
  return merged;
}

}  // namespace edgeconv
