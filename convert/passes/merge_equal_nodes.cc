// Common subexpressions: nodes of the same kind with the same operands and attributes, and constants with the same bytes.
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "convert/passes/match.h"
#include "convert/passes/stand_ins.h"

namespace edgeconv {

namespace {

// Nodes of the same operands that one is compared with, the newest: with all of them, 20,000 that differ in an attribute took seconds.
constexpr size_t kMostAlike = 64;

// An application's operator may have effects that nobody knows here; bodies are not compared.
bool may_merge(OpKind k) { return k != OpKind::kCustom && k != OpKind::kIf && k != OpKind::kLoop; }

size_t hash_of(const Tensor& t) { return std::hash<std::string_view>()({reinterpret_cast<const char*>(t.data()), t.bytes()}); }

void merge_constants(Graph& g, StandIns& merged) {
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
  StandIns merged(g);
  merge_constants(g, merged);
  std::map<std::pair<OpKind, std::vector<ValueId>>, std::vector<NodeId>> seen;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    Node& n = g.nodes[i];
    merged.redirect(n);
    if (n.dead || !may_merge(n.kind) || n.outputs.size() != 1 || n.outputs[0] == kNone || g.is_output(n.outputs[0])) continue;
    std::vector<NodeId>& alike = seen[{n.kind, n.inputs}];
    const auto most = static_cast<std::ptrdiff_t>(std::min(alike.size(), kMostAlike));
    const auto same = std::find_if(alike.end() - most, alike.end(), [&](NodeId other) { return g.node(other).attrs == n.attrs; });
    if (same == alike.end()) {
      alike.push_back(static_cast<NodeId>(i));
      continue;
    }
    merged.add(n.outputs[0], g.node(*same).outputs[0]);
    n.dead = true;
  }
  merged.redirect_all(g);
  return merged.count();
}

}  // namespace edgeconv
