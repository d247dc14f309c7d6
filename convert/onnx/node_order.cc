// Kahn's algorithm over names; names read by inner graphs (If, Loop) count as inputs of their node.
#include "convert/onnx/node_order.h"

#include <functional>
#include <queue>
#include <unordered_map>

#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

// All names that the inner graph takes from outside. Its own may be names of values outside too: a branch may call its result as the If
// calls it, which does not make the If wait for itself. Depth is bounded by the reader's nesting cap.
void collect_names(const pb::GraphProto& g, std::unordered_set<std::string>& out) {
  std::unordered_set<std::string> read, own;
  for (const auto& i : g.input()) own.insert(i.name());
  for (const auto& t : g.initializer()) own.insert(t.name());
  for (const auto& t : g.sparse_initializer()) own.insert(t.values().name());
  for (const auto& n : g.node()) {
    read.insert(n.input().begin(), n.input().end());
    own.insert(n.output().begin(), n.output().end());
    for (const auto& a : n.attribute()) {
      if (a.has_g()) collect_names(a.g(), read);
      for (const auto& inner : a.graphs()) collect_names(inner, read);
    }
  }
  for (const auto& o : g.output()) read.insert(o.name());
  for (const std::string& name : read)
    if (own.count(name) == 0) out.insert(name);
}

}  // namespace

std::unordered_set<std::string> names_read(const OnnxNode& n) {
  std::unordered_set<std::string> names(n.inputs.begin(), n.inputs.end());
  for (const auto& a : n.proto->attribute()) {
    if (a.has_g()) collect_names(a.g(), names);
    for (const auto& inner : a.graphs()) collect_names(inner, names);
  }
  names.erase("");
  return names;
}

NodeOrder order_nodes(const std::vector<OnnxNode>& nodes) {
  NodeOrder r;
  std::unordered_map<std::string, size_t> producer;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& o : nodes[i].outputs)
      if (!o.empty())
        if (const auto [first, fresh] = producer.emplace(o, i); !fresh) r.duplicates.push_back({o, first->second, i});
  std::vector<size_t> waiting(nodes.size());
  std::vector<std::vector<size_t>> readers(nodes.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : names_read(nodes[i])) {
      r.read.insert(name);
      const auto it = producer.find(name);
      if (it == producer.end()) continue;
      readers[it->second].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    r.order.push_back(i);
    for (size_t next : readers[i])
      if (--waiting[next] == 0) ready.push(next);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    if (waiting[i] > 0) r.cyclic.push_back(i);
  return r;
}

}  // namespace edgeconv
