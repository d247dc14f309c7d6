// See cut.h.
#include "convert/import_graph/cut.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_set>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/node_order.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

namespace {

using Names = std::unordered_set<std::string>;

constexpr size_t kMostNear = 5, kMostListed = 20, kLongestCompared = 200;

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

// The best first: small differences, then names that hold the text.
std::vector<std::string> near_names(const std::string& asked, const std::vector<std::string>& known) {
  const std::string text = lower(asked);
  std::vector<std::pair<size_t, std::string>> found;
  if (text.size() > kLongestCompared) return {};
  const size_t most = std::max<size_t>(1, text.size() / 4);
  for (const std::string& name : known) {
    if (name.size() > kLongestCompared) continue;
    const std::string other = lower(name);
    const size_t lengths = std::max(text.size(), other.size()) - std::min(text.size(), other.size());
    if (const size_t d = lengths <= most ? edit_distance(text, other) : most + 1; d <= most)
      found.emplace_back(d, name);
    else if (text.size() >= 3 && other.find(text) != std::string::npos)
      found.emplace_back(most + lengths, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(found.size(), kMostNear); ++i) names.push_back(found[i].second);
  return names;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) s += (s.empty() ? "" : ", ") + printable(names[i]);
  return s + (names.size() > kMostListed ? ", ..." : "");
}

[[noreturn]] void refuse_name(const std::string& asked, const std::vector<std::string>& known,
                              const std::vector<std::string>& outputs) {
  const std::vector<std::string> near = near_names(asked, known);
  throw FatalError(ExitCode::kUsage, "--outputs " + printable(asked) + ": the model computes no value of this name" +
                                         (near.empty() ? "" : "; near it are " + name_list(near)) + "; its outputs are " +
                                         name_list(outputs));
}

// Keeps the members that `keep` names, in their order.
template <class List, class Keep>
void filter(List& list, Keep keep) {
  int kept = 0;
  for (int i = 0; i < list.size(); ++i)
    if (keep(list.Get(i))) list.SwapElements(kept++, i);
  list.DeleteSubrange(kept, list.size() - kept);
}

void choose_outputs(pb::GraphProto& graph, const std::vector<std::string>& outputs) {
  std::unordered_map<std::string, pb::ValueInfoProto> declared;
  for (const auto* list : {&graph.value_info(), &graph.output()})
    for (const auto& info : *list) declared[info.name()] = info;
  graph.clear_output();
  for (const std::string& name : outputs) {
    pb::ValueInfoProto* o = graph.add_output();
    if (const auto it = declared.find(name); it != declared.end()) *o = it->second;
    o->set_name(name);
  }
}

}  // namespace

std::vector<CutInput> cut_graph(pb::GraphProto& graph, std::vector<OnnxNode>& nodes, const std::vector<std::string>& outputs) {
  std::unordered_map<std::string, size_t> producer;
  std::vector<std::string> known, declared_outputs;
  Names initializers, inputs, read;
  for (const auto& o : graph.output()) declared_outputs.push_back(o.name());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& o : nodes[i].outputs)
      if (!o.empty() && producer.emplace(o, i).second) known.push_back(o);
    for (const std::string& name : names_read(nodes[i])) read.insert(name);
  }
  for (const auto& t : graph.initializer()) initializers.insert(t.name());
  for (const auto& i : graph.input()) inputs.insert(i.name());
  known.insert(known.end(), inputs.begin(), inputs.end());
  for (const std::string& name : outputs)
    if (!producer.count(name) && !initializers.count(name) && !inputs.count(name)) refuse_name(name, known, declared_outputs);

  Names needed(outputs.begin(), outputs.end());
  std::vector<bool> keep(nodes.size());
  std::vector<std::string> open = outputs;
  while (!open.empty()) {
    const auto it = producer.find(open.back());
    open.pop_back();
    if (it == producer.end() || keep[it->second]) continue;
    keep[it->second] = true;
    for (const std::string& name : names_read(nodes[it->second]))
      if (needed.insert(name).second) open.push_back(name);
  }

  size_t kept = 0;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (keep[i]) {
      if (kept != i) nodes[kept] = std::move(nodes[i]);
      ++kept;
    }
  nodes.resize(kept);
  filter(*graph.mutable_initializer(), [&](const pb::TensorProto& t) { return needed.count(t.name()) > 0; });
  filter(*graph.mutable_sparse_initializer(),
         [&](const pb::SparseTensorProto& t) { return needed.count(t.values().name()) > 0; });
  std::vector<CutInput> cut;
  size_t position = 0;
  filter(*graph.mutable_input(), [&](const pb::ValueInfoProto& in) {
    const bool stays = needed.count(in.name()) > 0 || read.count(in.name()) == 0;
    if (initializers.count(in.name())) return needed.count(in.name()) > 0;  // a default, no input (IR version 3)
    if (!stays) cut.push_back({position, in.name()});
    ++position;
    return stays;
  });
  choose_outputs(graph, outputs);
  return cut;
}

std::string cut_lines(const std::vector<std::string>& chosen, const std::vector<CutInput>& cut) {
  if (chosen.empty()) return "";
  std::vector<std::string> inputs;
  for (const CutInput& c : cut) inputs.push_back(c.name);
  return "cut       to " + name_list(chosen) + (inputs.empty() ? "" : "; not needed: input " + name_list(inputs)) + "\n";
}

}  // namespace edgeconv
