// See arguments.h.
#include "convert/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <utility>

namespace edgeconv::cli {

// Ranges and words stand in the help once, as its value and its text: CLI11's own notes are left out.
CLI::Option* Arguments::keep(CLI::Option* option, const OptionRules& rules) {
  option->group(group_);
  if (rules.required) option->required();
  if (!rules.type.empty()) option->type_name(rules.type);
  if (!rules.one_of.empty()) {
    option->check(CLI::IsMember(rules.one_of).description(""));
    if (rules.type.empty()) {
      std::string words;
      for (const std::string& w : rules.one_of) words += (words.empty() ? "" : "|") + w;
      option->type_name(words);
    }
  }
  for (const std::string& other : rules.excludes) option->excludes(app_.get_option(other));
  if (rules.repeats) repeated_->push_back(option);
  return option;
}

std::function<std::vector<std::string>()> Arguments::words_again() const {
  return [repeated = repeated_] {
    std::vector<std::string> words;
    for (const CLI::Option* o : *repeated) {
      const bool flag = o->get_expected_max() == 0;
      for (const std::string& value : o->results()) {
        // A value like an option is one only behind its '='.
        const bool joined = value.size() > 1 && value[0] == '-';
        if (o->get_positional()) {
          words.push_back(value);
        } else if (flag) {
          words.push_back(o->get_name() + (value == "true" ? "" : "=" + value));
        } else if (joined) {
          words.push_back(o->get_name() + "=" + value);
        } else {
          words.insert(words.end(), {o->get_name(), value});
        }
      }
    }
    return words;
  };
}

template <class T>
Arguments& Arguments::number(const std::string& names, T& value, const std::string& help, const OptionRules& rules,
                             const char* type) {
  const bool range = rules.least < rules.most;
  const std::string most = rules.most < 1e6 ? fmt::format("{:g}", rules.most) : fmt::format("{:.0f}", rules.most);
  const std::string text = range ? fmt::format("{} ({:g} to {})", help, rules.least, most) : help;
  CLI::Option* option = keep(app_.add_option(names, value, text), rules);
  if (rules.type.empty()) option->type_name(type);
  if (range)
    option->check(
        CLI::Range(static_cast<T>(rules.least), static_cast<T>(rules.most), names.substr(0, names.find(','))).description(""));
  return *this;
}

Arguments& Arguments::group(const std::string& heading) {
  group_ = heading;
  return *this;
}

Arguments& Arguments::example(const std::string& line, const std::string& what) {
  app_.footer(app_.get_footer() + (app_.get_footer().empty() ? "Example:\n" : "") + "  " + line + "\n      " + what + "\n");
  return *this;
}

Arguments& Arguments::option(const std::string& names, std::string& value, const std::string& help, const OptionRules& rules) {
  CLI::Option* option = keep(app_.add_option(names, value, help), rules);
  // A script's --key "$KEY" where KEY was never set must not become a command without --key. Others judge what is empty themselves.
  if (names[0] == '-' && value.empty())
    option->check(CLI::Validator([](std::string& v) { return v.empty() ? std::string("needs a value, \"\" is none") : std::string(); }, ""));
  return *this;
}

Arguments& Arguments::option(const std::string& names, int& value, const std::string& help, const OptionRules& rules) {
  return number(names, value, help, rules, "N");
}

Arguments& Arguments::option(const std::string& names, uint32_t& value, const std::string& help, const OptionRules& rules) {
  return number(names, value, help, rules, "N");
}

Arguments& Arguments::option(const std::string& names, uint64_t& value, const std::string& help, const OptionRules& rules) {
  return number(names, value, help, rules, "N");
}

Arguments& Arguments::option(const std::string& names, double& value, const std::string& help, const OptionRules& rules) {
  return number(names, value, help, rules, "X");
}

Arguments& Arguments::option(const std::string& names, std::vector<std::string>& values, const std::string& help,
                             const OptionRules& rules) {
  keep(app_.add_option(names, values, help), rules)->allow_extra_args(false);
  return *this;
}

Arguments& Arguments::flag(const std::string& names, bool& value, const std::string& help, const OptionRules& rules) {
  keep(app_.add_flag(names, value, help), rules);
  return *this;
}

}  // namespace edgeconv::cli
