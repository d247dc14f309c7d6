// See arguments.h.
#include "convert/cli/arguments.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

CLI::Option* keep_rules(CLI::App& app, CLI::Option* option, const OptionRules& rules) {
  if (rules.required) option->required();
  if (!rules.type.empty()) option->type_name(rules.type);
  if (!rules.one_of.empty()) option->check(CLI::IsMember(rules.one_of));
  for (const std::string& other : rules.excludes) option->excludes(app.get_option(other));
  return option;
}

template <class T>
void number(CLI::App& app, const std::string& names, T& value, const std::string& help, const OptionRules& rules) {
  CLI::Option* option = keep_rules(app, app.add_option(names, value, help), rules);
  if (rules.least < rules.most) option->check(CLI::Range(static_cast<T>(rules.least), static_cast<T>(rules.most)));
}

}  // namespace

Arguments& Arguments::option(const std::string& names, std::string& value, const std::string& help, const OptionRules& rules) {
  keep_rules(app_, app_.add_option(names, value, help), rules);
  return *this;
}

Arguments& Arguments::option(const std::string& names, int& value, const std::string& help, const OptionRules& rules) {
  number(app_, names, value, help, rules);
  return *this;
}

Arguments& Arguments::option(const std::string& names, uint32_t& value, const std::string& help, const OptionRules& rules) {
  number(app_, names, value, help, rules);
  return *this;
}

Arguments& Arguments::option(const std::string& names, uint64_t& value, const std::string& help, const OptionRules& rules) {
  number(app_, names, value, help, rules);
  return *this;
}

Arguments& Arguments::option(const std::string& names, double& value, const std::string& help, const OptionRules& rules) {
  number(app_, names, value, help, rules);
  return *this;
}

Arguments& Arguments::option(const std::string& names, std::vector<std::string>& values, const std::string& help,
                             const OptionRules& rules) {
  keep_rules(app_, app_.add_option(names, values, help), rules)->allow_extra_args(false);
  return *this;
}

Arguments& Arguments::flag(const std::string& names, bool& value, const std::string& help, const OptionRules& rules) {
  keep_rules(app_, app_.add_flag(names, value, help), rules);
  return *this;
}

int run_command_line(const CommandLine& line, std::vector<std::string> arguments) {
  CLI::App app(line.description);
  app.set_version_flag("--version", line.version);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Verb& v : line.verbs) {
    CLI::App* sub = app.add_subcommand(v.name, v.summary);
    Arguments declared(*sub);
    actions.emplace_back(sub, v.add(declared));
  }
  std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 takes a vector
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;  // help and the version on stdout, mistakes on stderr
    const int code = app.exit(e, out, err);
    tell(err.str());
    print_text(out.str());
    return code == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) return action();
  return 0;
}

}  // namespace edgeconv::cli
