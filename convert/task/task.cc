// See task.h.
#include "convert/task/task.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "convert/files/text_lines.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

template <class Kind, size_t kCount>
Kind parse_name(const std::string& name, const std::string_view (&names)[kCount], const char* option) {
  std::string known;
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Kind>(i);
    known += (i ? ", " : "") + std::string(names[i]);
  }
  throw FatalError(ExitCode::kUsage, std::string(option) + " " + printable(name) + ": write one of " + known);
}

template <class T>
void take(T& to, const T& from) {
  if (from) to = from;
}

}  // namespace

TaskKind parse_task(const std::string& name) { return parse_name<TaskKind>(name, kTaskNames, "--task"); }
Pooling parse_pooling(const std::string& name) { return parse_name<Pooling>(name, kPoolingNames, "--pooling"); }

void TaskSettings::override_with(const TaskSettings& over) {
  take(kind, over.kind);
  take(pooling, over.pooling);
  take(normalize, over.normalize);
  take(independent, over.independent);
  take(max_tokens, over.max_tokens);
  take(hypothesis, over.hypothesis);
  if (!over.labels.empty()) labels = over.labels;
  if (!over.prompt.empty()) prompt = over.prompt;
}

int entailment_label(const std::vector<std::string>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    std::string lower = labels[i];
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.starts_with("entail")) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> read_label_names(const std::string& path) {
  std::vector<std::string> labels;
  std::set<std::string> seen;
  const auto refuse = [&](const std::string& what) {
    throw FatalError(ExitCode::kUsage, "--labels " + printable(path) + ": line " + std::to_string(labels.size() + 1) + " " +
                                           what + "; the file has one label a line, in the order of the model's outputs");
  };
  for_each_line("--labels", path, [&](const std::string& line) {
    if (line.empty()) refuse("is empty");
    if (!seen.insert(line).second) refuse("repeats '" + printable(line) + "'");
    labels.push_back(line);
  });
  if (labels.empty()) refuse("is missing");
  return labels;
}

}  // namespace edgeconv
