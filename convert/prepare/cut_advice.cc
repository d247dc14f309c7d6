// Follows refused nodes to the outputs. What their part reads of the rest is offered, if the rest has most of the model's weights.
#include "convert/prepare/cut_advice.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace edgeconv {

namespace {

constexpr size_t kMostNames = 16;

using Names = std::unordered_set<std::string>;

bool stands_at(const Problem& p, const std::string& name) {
  const std::string place = printable(name);
  return p.where == place || p.where.rfind(place + " (", 0) == 0;
}

class CutSearch {
 public:
  CutSearch(const FileGraph& file, const std::vector<Problem>& problems);
  // Names that leave every problem behind them and are worth it; empty if there are none.
  std::vector<std::string> names() const;

 private:
  bool refuse(const Problem& p);
  void follow();
  std::vector<bool> ancestors(const std::vector<std::string>& values) const;
  bool worth_it(const std::vector<std::string>& values) const;
  bool is_offered(const std::string& value) const {
    return reached_.count(value) == 0 && data_.count(value) > 0 && producer_.count(value) > 0;
  }

  const FileGraph& file_;
  std::unordered_map<std::string, size_t> producer_;
  std::vector<bool> refused_;  // nodes that have a problem, or stand behind one
  Names reached_;              // values that cannot be had
  Names data_;                 // values that depend on contents of inputs
  bool solved_ = true;         // every problem stands somewhere in the file
};

CutSearch::CutSearch(const FileGraph& file, const std::vector<Problem>& problems) : file_(file), refused_(file.nodes.size()) {
  for (size_t i = 0; i < file.nodes.size(); ++i)
    for (const std::string& o : file.nodes[i].outputs) producer_.emplace(o, i);
  for (const Problem& p : problems) solved_ = refuse(p) && solved_;
  follow();
}

bool CutSearch::refuse(const Problem& p) {
  bool found = false;
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const FileGraph::Node& n = file_.nodes[i];
    if (stands_at(p, n.name) || std::any_of(n.inner.begin(), n.inner.end(), [&](const auto& name) { return stands_at(p, name); }))
      refused_[i] = found = true;
  }
  for (const auto* names : {&file_.inputs, &file_.outputs})
    for (const std::string& name : *names)
      if (stands_at(p, name)) {
        reached_.insert(name);
        found = true;
      }
  return found;
}

void CutSearch::follow() {
  data_.insert(file_.inputs.begin(), file_.inputs.end());
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const FileGraph::Node& n = file_.nodes[i];
    const auto any_of = [&](const Names& names) {
      return std::any_of(n.reads.begin(), n.reads.end(), [&](const std::string& r) { return names.count(r) > 0; });
    };
    if (refused_[i] || any_of(reached_)) {
      refused_[i] = true;
      reached_.insert(n.outputs.begin(), n.outputs.end());
    }
    if (!n.sizes_only && any_of(data_)) data_.insert(n.outputs.begin(), n.outputs.end());
  }
}

std::vector<bool> CutSearch::ancestors(const std::vector<std::string>& values) const {
  std::vector<bool> seen(file_.nodes.size());
  std::vector<std::string> open = values;
  while (!open.empty()) {
    const auto it = producer_.find(open.back());
    open.pop_back();
    if (it == producer_.end() || seen[it->second]) continue;
    seen[it->second] = true;
    const auto& reads = file_.nodes[it->second].reads;
    open.insert(open.end(), reads.begin(), reads.end());
  }
  return seen;
}

std::vector<std::string> CutSearch::names() const {
  if (!solved_) return {};
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& v) {
    if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
  };
  for (const std::string& output : file_.outputs) {
    if (is_offered(output)) choose(output);
    if (!reached_.count(output)) continue;
    const std::vector<bool> above = ancestors({output});
    std::vector<std::pair<size_t, std::string>> last;  // in the order in which they are computed
    for (size_t i = 0; i < above.size(); ++i)
      if (above[i] && refused_[i])
        for (const std::string& v : file_.nodes[i].reads)
          if (is_offered(v)) last.emplace_back(producer_.at(v), v);
    std::sort(last.begin(), last.end());
    for (const auto& [at, v] : last) choose(v);
  }
  const bool odd = std::any_of(chosen.begin(), chosen.end(), [](const std::string& v) {
    return v.find_first_of(", \t'\"\\$`") != std::string::npos || printable(v) != v;  // not to be typed
  });
  return odd || chosen.size() > kMostNames || !worth_it(chosen) ? std::vector<std::string>() : chosen;
}

// The part that is left has half of the weights, or of the nodes where no node has weights.
bool CutSearch::worth_it(const std::vector<std::string>& values) const {
  if (values.empty()) return false;
  const std::vector<bool> kept = ancestors(values), all = ancestors(file_.outputs);
  double weights = 0, kept_weights = 0, nodes = 0, kept_nodes = 0;
  Names counted;
  for (const bool first : {true, false})
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != first || !(kept[i] || all[i])) continue;
      (first ? kept_nodes : nodes) += 1;
      for (const std::string& r : file_.nodes[i].reads)
        if (const auto w = file_.weights.find(r); w != file_.weights.end() && counted.insert(r).second)
          (first ? kept_weights : weights) += static_cast<double>(w->second);
    }
  return kept_weights + weights > 0 ? kept_weights >= weights : kept_nodes >= nodes;
}

}  // namespace

void advise_outputs(const FileGraph* file, Diagnostics& d) {
  if (file == nullptr || d.problems().empty()) return;
  std::string list;
  for (const std::string& name : CutSearch(*file, d.problems()).names()) list += (list.empty() ? "" : ",") + name;
  if (list.empty()) return;
  const std::vector<Problem> problems = d.problems();
  for (const Problem& p : problems) d.add_hint(p.op, p.where, "or convert what stands before it: --outputs " + list);
}

}  // namespace edgeconv
