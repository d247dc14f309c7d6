// See graph_dump.h.
#include "convert/cli/graph_dump.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/passes/pass.h"
#include "convert/program/program_pass.h"

namespace edgeconv::cli {

namespace {

constexpr char kFirstBytes[] = "== ";

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names = graph_pass_names();
  for (std::string_view name : program_pass_names()) names.push_back(name);
  return names;
}

bool is_dump(const std::string& path) {
  char first[sizeof kFirstBytes] = "";
  std::ifstream(path).read(first, sizeof first - 1);
  return std::string(first) == kFirstBytes;
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

void GraphDump::check(const std::vector<std::string>& taken) const {
  if (file().empty()) return;
  const auto normal = [](const std::string& path) { return std::filesystem::absolute(path).lexically_normal(); };
  std::error_code error;
  if (std::filesystem::is_directory(file_, error))
    throw FatalError(ExitCode::kUsage, "--dump-graph '" + file_ + "' is a folder; give a file name");
  for (const std::string& other : taken)
    if (normal(other) == normal(file_) || std::filesystem::equivalent(other, file_, error))
      throw FatalError(ExitCode::kUsage, "--dump-graph would replace '" + other + "'; give another name");
  if (std::filesystem::exists(file_, error) && !is_dump(file_))
    throw FatalError(ExitCode::kUsage, "--dump-graph '" + file_ + "' exists and is no such listing; give another name");
}

void GraphDump::write(const std::string& states) const {
  if (states.empty()) return;
  if (to_stdout())
    std::fwrite(states.data(), 1, states.size(), stdout);
  else
    write_file_atomically(file_, states.data(), states.size());
}

}  // namespace edgeconv::cli
