// Collects problems and prints them grouped by operator and reason, so that a user sees the whole list in one run.
#include "convert/ir/diagnostics.h"

#include <algorithm>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

// Of whole messages, whose advice stands at their end. They may hold names of the model, so they are bounded too.
constexpr size_t kLongestName = 240, kLongestMessage = 4000;

}  // namespace

std::string printable(const std::string& s) { return escaped(s, kLongestName); }

void Diagnostics::unsupported(Problem p) {
  for (std::string* s : {&p.op, &p.where}) *s = printable(*s);
  for (std::string* s : {&p.detail, &p.reason, &p.hint}) *s = escaped(*s, kLongestMessage);
  problems_.push_back(std::move(p));
}

void Diagnostics::add_hint(const std::string& op, const std::string& where, const std::string& hint) {
  if (hint.empty()) return;
  const std::string more = escaped(hint, kLongestMessage), type = printable(op), place = printable(where);
  for (Problem& p : problems_)
    if (p.op == type && (p.where == place || p.where.rfind(place + " (torch: ", 0) == 0) &&
        p.hint.find(more) == std::string::npos)
      p.hint += (p.hint.empty() ? "" : "; ") + more;
}

void Diagnostics::malformed(const std::string& message) {
  if (malformed_.size() < 100) malformed_.push_back(escaped(message, kLongestMessage));
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
  for (const Problem& p : problems) {
    auto g = std::find_if(groups.begin(), groups.end(),
                          [&](const Group& x) { return x.first->op == p.op && x.first->reason == p.reason; });
    if (g == groups.end())
      groups.push_back({&p, 1});
    else
      ++g->count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.first->op < b.first->op; });
  return groups;
}

std::string plural(size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string problem_list(const std::vector<Problem>& problems) {
  const std::vector<Group> groups = group_problems(problems);
  std::vector<std::string> ops;
  size_t width = 0;
  for (const Group& g : groups) {
    if (std::find(ops.begin(), ops.end(), g.first->op) == ops.end()) ops.push_back(g.first->op);
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
  for (const std::string& m : malformed_) s += (s.empty() ? "" : "\n") + m;
  if (!malformed_.empty())
    s += "\nhint: the file does not follow ONNX there: export it again with a current exporter, or tell the maker of the tool "
         "that wrote it";
  if (!problems_.empty()) {
    s += (s.empty() ? "" : "\n") + problem_list(problems_);
    const size_t bad = std::min(problems_.size(), node_count_);
    if (node_count_ > 0)
      s += "\nnote: " + std::to_string(node_count_ - bad) + " of " + plural(node_count_, "node") + " had no problem";
  }
  throw FatalError(malformed_.empty() ? ExitCode::kUnsupported : ExitCode::kMalformed, s);
}

}  // namespace edgeconv
