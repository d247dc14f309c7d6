// The options of a verb, in the form that verbs declare them. CLI11 does the work; only arguments.cc includes it, because each file that
// does costs 5 to 10 seconds of build.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace edgeconv::cli {

// What holds for an option besides its name and type.
struct OptionRules {
  bool required = false;
  std::string type = {};                   // in the help, instead of TEXT, INT or FLOAT
  std::vector<std::string> one_of = {};    // the words that it takes; empty: any
  double least = 0, most = 0;              // numbers: the range, both included; equal: any
  std::vector<std::string> excludes = {};  // options that were declared before and may not be given together with this one
  bool repeats = true;                     // stands in words_again()
};

// Declares options on a CLI11 command. What is filled in must live until the command line has been parsed.
class Arguments {
 public:
  // words: the whole command line, for reports.
  explicit Arguments(CLI::App& app, std::string words = {})
      : app_(app), words_(std::move(words)), repeated_(std::make_shared<std::vector<CLI::Option*>>()) {}

  const std::string& words() const { return words_; }
  // Once the command line has been parsed: what it gave, as words that give it again, in the order of the declarations, also of those that
  // follow. All options, but for those whose rules say that they do not repeat: a new one cannot be forgotten.
  std::function<std::vector<std::string>()> words_again() const;

  // Options that are declared from here on stand under this heading of the help.
  Arguments& group(const std::string& heading);
  // A command line that works, and what it does; --help ends with it.
  Arguments& example(const std::string& line, const std::string& what);

  // names: "--dim", "-o,--output", or a word without dashes for an argument by position.
  Arguments& option(const std::string& names, std::string& value, const std::string& help, const OptionRules& rules = {});
  Arguments& option(const std::string& names, int& value, const std::string& help, const OptionRules& rules = {});
  Arguments& option(const std::string& names, uint32_t& value, const std::string& help, const OptionRules& rules = {});
  Arguments& option(const std::string& names, uint64_t& value, const std::string& help, const OptionRules& rules = {});
  Arguments& option(const std::string& names, double& value, const std::string& help, const OptionRules& rules = {});
  // Repeatable; each time with one value.
  Arguments& option(const std::string& names, std::vector<std::string>& values, const std::string& help,
                    const OptionRules& rules = {});
  Arguments& flag(const std::string& names, bool& value, const std::string& help, const OptionRules& rules = {});

 private:
  CLI::Option* keep(CLI::Option* option, const OptionRules& rules);
  template <class T>
  Arguments& number(const std::string& names, T& value, const std::string& help, const OptionRules& rules, const char* type);

  CLI::App& app_;
  std::string words_, group_ = "Options";
  std::shared_ptr<std::vector<CLI::Option*>> repeated_;
};

}  // namespace edgeconv::cli
