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

class CutSearch {
 public:
  CutSearch(const FileGraph& file, const std::vector<Problem>& problems);
  // Names that leave every problem behind them and are worth it; empty if there are none.
  std::vector<std::string> names() const;

 private:
  void refuse(const std::vector<Problem>& problems);
  void follow();
  std::vector<size_t> ancestors(std::vector<std::string> values, std::vector<bool>& seen) const;
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
  refuse(problems);
  follow();
}

void CutSearch::refuse(const std::vector<Problem>& problems) {
  std::unordered_map<std::string, std::vector<size_t>> problems_at;  // by name, until it is found
  for (size_t i = 0; i < problems.size(); ++i)
    for (const std::string& place : places_in(problems[i].where, " (")) problems_at[place].push_back(i);
  std::vector<bool> found(problems.size());
  const auto stands_at = [&](const std::string& name) {
    const auto at = problems_at.find(printable(name));
    if (at == problems_at.end()) return false;
    for (const size_t i : at->second) found[i] = true;
    at->second.clear();
    return true;
  };
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const FileGraph::Node& n = file_.nodes[i];
    bool here = stands_at(n.name);
    for (const std::string& inner : n.inner) here = stands_at(inner) || here;
    refused_[i] = here;
  }
  for (const auto* names : {&file_.inputs, &file_.outputs})
    for (const std::string& name : *names)
      if (stands_at(name)) reached_.insert(name);
  solved_ = std::find(found.begin(), found.end(), false) == found.end();
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

// Nodes that values are computed from, without those that were seen, in the order of the file.
std::vector<size_t> CutSearch::ancestors(std::vector<std::string> values, std::vector<bool>& seen) const {
  std::vector<size_t> found;
  while (!values.empty()) {
    const auto it = producer_.find(values.back());
    values.pop_back();
    if (it == producer_.end() || seen[it->second]) continue;
    seen[it->second] = true;
    found.push_back(it->second);
    const auto& reads = file_.nodes[it->second].reads;
    values.insert(values.end(), reads.begin(), reads.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> CutSearch::names() const {
  if (!solved_) return {};
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& v) {
    if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
    return chosen.size() <= kMostNames;
  };
  std::vector<bool> seen(file_.nodes.size());  // what stands behind two outputs has been chosen for the first
  for (const std::string& output : file_.outputs) {
    if (is_offered(output) && !choose(output)) return {};
    if (!reached_.count(output)) continue;
    std::vector<std::pair<size_t, std::string>> last;  // in the order in which they are computed
    for (const size_t i : ancestors({output}, seen))
      if (refused_[i])
        for (const std::string& v : file_.nodes[i].reads)
          if (is_offered(v)) last.emplace_back(producer_.at(v), v);
    std::sort(last.begin(), last.end());
    for (const auto& [at, v] : last)
      if (!choose(v)) return {};
  }
  const bool odd = std::any_of(chosen.begin(), chosen.end(), [](const std::string& v) {
    return v.find_first_of(", \t'\"\\$`") != std::string::npos || printable(v) != v;  // not to be typed
  });
  return odd || !worth_it(chosen) ? std::vector<std::string>() : chosen;
}

// The part that is left has half of the weights, or of the nodes where no node has weights.
bool CutSearch::worth_it(const std::vector<std::string>& values) const {
  if (values.empty()) return false;
  std::vector<bool> seen(file_.nodes.size());
  double weights = 0, kept_weights = 0, nodes = 0, kept_nodes = 0;
  Names counted;
  for (const bool kept : {true, false})
    for (const size_t i : ancestors(kept ? values : file_.outputs, seen)) {
      (kept ? kept_nodes : nodes) += 1;
      for (const std::string& r : file_.nodes[i].reads)
        if (const auto w = file_.weights.find(r); w != file_.weights.end() && counted.insert(r).second)
          (kept ? kept_weights : weights) += static_cast<double>(w->second);
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
