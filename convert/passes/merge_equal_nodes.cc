// Common subexpressions: nodes of the same kind with the same operands and attributes, and constants with the same bytes.
#include <map>
#include <string>
#include <type_traits>

#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// Attributes as text; empty for kinds that are never merged.
struct KeyWriter {
  std::string out;
  template <class T>
  void put(const T& v) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      out += std::to_string(+static_cast<std::conditional_t<std::is_enum_v<T>, int, T>>(v)) + ",";
    else if constexpr (std::is_same_v<T, std::string>)
      out += v + ",";
    else
      for (const auto& e : v) put(e);
    out += ";";
  }
  bool operator()(std::monostate) { return true; }
  bool operator()(const UnaryAttrs& a) {
    put(a.kind);
    put(a.alpha);
    return true;
  }
  bool operator()(const BinaryAttrs& a) {
    put(a.kind);
    return true;
  }
  bool operator()(const CastAttrs& a) {
    put(a.to);
    return true;
  }
  bool operator()(const AxisAttrs& a) {
    put(a.axis);
    return true;
  }
  bool operator()(const AxesAttrs& a) {
    put(a.axes);
    return true;
  }
  bool operator()(const ReshapeAttrs& a) {
    put(a.allow_zero);
    return true;
  }
  bool operator()(const TransposeAttrs& a) {
    put(a.perm);
    return true;
  }
  bool operator()(const ReduceAttrs& a) {
    put(a.kind);
    put(a.axes);
    put(a.keep_dims);
    put(a.noop_with_empty_axes);
    return true;
  }
  bool operator()(const ShapeAttrs& a) {
    put(a.start);
    put(a.end);
    return true;
  }
  bool operator()(const CumSumAttrs& a) {
    put(a.exclusive);
    put(a.reverse);
    return true;
  }
  bool operator()(const TriluAttrs& a) {
    put(a.upper);
    return true;
  }
  bool operator()(const GatherNDAttrs& a) {
    put(a.batch_dims);
    return true;
  }
  bool operator()(const LinearAttrs& a) {
    put(a.activation);
    return true;
  }
  template <class T>
  bool operator()(const T&) {
    return false;
  }
};

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
  std::map<std::string, NodeId> seen;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    Node& n = g.nodes[i];
    if (n.dead || n.outputs.size() != 1 || n.outputs[0] == kNone || g.is_output(n.outputs[0])) continue;
    KeyWriter w;
    if (!std::visit([&](const auto& a) { return w(a); }, n.attrs)) continue;
    std::string key = std::string(op_name(n.kind)) + "|" + w.out + "|";
    for (ValueId v : n.inputs) key += std::to_string(v) + ",";
    const auto [it, fresh] = seen.try_emplace(key, static_cast<NodeId>(i));
    if (fresh) continue;
    g.replace_uses(n.outputs[0], g.node(it->second).outputs[0]);
    n.dead = true;
    ++merged;
  }
  return merged;
}

}  // namespace edgeconv
