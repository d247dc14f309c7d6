// See graph_dump.h.
#include "convert/cli/graph_dump.h"

#include <algorithm>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/passes/pass.h"
#include "convert/program/program_pass.h"

namespace edgeconv::cli {

namespace {

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names = graph_pass_names();
  for (std::string_view name : program_pass_names()) names.push_back(name);
  return names;
}

}  // namespace

GraphDump::GraphDump(const std::string& option) {
  if (option.empty()) return;
  const size_t equals = option.find('=');
  if (equals == std::string::npos || equals + 1 == option.size())
    throw FatalError(ExitCode::kUsage, "--dump-graph " + option + ": write PASS=FILE or all=FILE, with - for stdout");
  pass_ = option.substr(0, equals);
  file_ = option.substr(equals + 1);
  const std::vector<std::string_view> names = pass_names();
  if (pass_ == "all" || std::find(names.begin(), names.end(), pass_) != names.end()) return;
  std::string known;
  for (std::string_view name : names) known += ", " + std::string(name);
  throw FatalError(ExitCode::kUsage, "--dump-graph " + option + ": there is no pass '" + pass_ + "'; use all" + known);
}

void GraphDump::write(const std::string& states, const Outputs& outputs) const {
  if (!states.empty()) outputs.write(file_, states.data(), states.size());
}

}  // namespace edgeconv::cli
