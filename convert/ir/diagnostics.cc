// Collects problems and prints them grouped by operator and reason, so that a user sees the whole list in one run.
#include "convert/ir/diagnostics.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

// Of whole messages, whose advice stands at their end. They may hold names of the model, so they are bounded too.
constexpr size_t kLongestName = 240, kLongestMessage = 4000;
// Of one name that get hints: a file may give one to all of its nodes.
constexpr size_t kMostProblemsOfAName = 8;

std::string key(const std::string& op, const std::string& place) { return op + '\n' + place; }

}  // namespace

std::string printable(const std::string& s) { return escaped(s, kLongestName); }

std::vector<std::string> places_in(const std::string& where, const std::string& before) {
  std::vector<std::string> r{where};
  for (size_t at = where.find(before); at != std::string::npos; at = where.find(before, at + 1)) r.push_back(where.substr(0, at));
  return r;
}

void Diagnostics::unsupported(Problem p) {
  for (std::string* s : {&p.op, &p.where}) *s = printable(*s);
  for (std::string* s : {&p.detail, &p.reason, &p.hint}) *s = escaped(*s, kLongestMessage);
  for (const std::string& place : places_in(p.where, " (torch: ")) {
    std::vector<size_t>& there = at_[key(p.op, place)];
    if (there.size() < kMostProblemsOfAName) there.push_back(problems_.size());
  }
  problems_.push_back(std::move(p));
}

const std::vector<size_t>* Diagnostics::at(const std::string& op, const std::string& where) const {
  const auto it = at_.find(key(printable(op), printable(where)));
  return it == at_.end() ? nullptr : &it->second;
}

void Diagnostics::add_hint(const std::string& op, const std::string& where, const std::string& hint) {
  const std::vector<size_t>* there = hint.empty() ? nullptr : at(op, where);
  if (there == nullptr) return;
  const std::string more = escaped(hint, kLongestMessage);
  for (const size_t i : *there) {
    std::string& had = problems_[i].hint;
    if (had.size() <= kLongestMessage && had.find(more) == std::string::npos) had += (had.empty() ? "" : "; ") + more;
  }
}

void Diagnostics::malformed(const std::string& message) {
  if (malformed_.size() < 100) malformed_.push_back(escaped(message, kLongestMessage));
}

std::string Diagnostics::blame(const std::string& reason, const std::string& rule) const {
  if (!blamed_sizes_.empty()) return rule.empty() ? reason : reason + "; " + rule;
  return reason + "; the file is not valid ONNX: " + (rule.empty() ? "check it with onnx.checker" : rule);
}

void Diagnostics::warn(const std::string& message) {
  const std::string m = escaped(message, kLongestMessage);
  if (std::find(warnings_.begin(), warnings_.end(), m) == warnings_.end() && warnings_.size() < 1000) warnings_.push_back(m);
}

namespace {

struct Group {
  const Problem* first;
  int count;
};

std::vector<Group> group_problems(const std::vector<Problem>& problems) {
  std::vector<Group> groups;
  std::map<std::pair<std::string_view, std::string_view>, size_t> seen;
  for (const Problem& p : problems) {
    const auto [at, is_new] = seen.emplace(std::pair<std::string_view, std::string_view>(p.op, p.reason), groups.size());
    if (is_new)
      groups.push_back({&p, 1});
    else
      ++groups[at->second].count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.first->op < b.first->op; });
  return groups;
}

std::string plural(size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string problem_list(const std::vector<Problem>& problems) {
  const std::vector<Group> groups = group_problems(problems);  // by operator
  std::vector<std::string> ops;
  size_t width = 0;
  for (const Group& g : groups) {
    if (ops.empty() || ops.back() != g.first->op) ops.push_back(g.first->op);
    width = std::max(width, g.first->op.size());
  }
  std::string s = plural(ops.size(), "operator") + (ops.size() == 1 ? " is" : " are") + " not supported (" +
                  plural(problems.size(), "node") + ")";
  for (const Group& g : groups) {
    const Problem& p = *g.first;
    s += "\n  " + p.op + std::string(width - std::min(width, p.op.size()), ' ') + "  x" + std::to_string(g.count);
    if (!p.where.empty()) s += "  first: " + p.where;
    if (!p.detail.empty()) s += " " + p.detail;
    s += "\n      " + p.reason;
    if (!p.hint.empty()) s += "\n      hint: " + p.hint;
  }
  return s;
}

}  // namespace

void Diagnostics::check() const {
  if (ok()) return;
  std::string s;
  const bool by_sizes = !malformed_.empty() && !blamed_sizes_.empty();
  if (by_sizes) s = "with --fix " + blamed_sizes_ + " the model contradicts itself; give sizes that it can have:";
  for (const std::string& m : malformed_) s += (s.empty() ? "" : "\n") + m;
  if (!malformed_.empty() && !by_sizes)
    s += "\nhint: the file does not follow ONNX there: export it again with a current exporter, or tell the maker of the tool "
         "that wrote it";
  if (!problems_.empty()) {
    s += (s.empty() ? "" : "\n") + problem_list(problems_);
    const size_t bad = std::min(problems_.size(), node_count_);
    if (node_count_ > 0)
      s += "\nnote: " + std::to_string(node_count_ - bad) + " of " + plural(node_count_, "node") + " had no problem";
  }
  throw FatalError(by_sizes ? ExitCode::kUsage : malformed_.empty() ? ExitCode::kUnsupported : ExitCode::kMalformed, s);
}

}  // namespace edgeconv
