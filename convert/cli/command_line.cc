// From the words of a command line to a verb: help, the version, and what is wrong with the words, in words.
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "convert/cli/command.h"
#include "convert/cli/help_format.h"
#include "convert/cli/nearest_word.h"
#include "convert/cli/standard_output.h"
#include "convert/cli/terminal.h"
#include "convert/cli/unknown_option.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv::cli {

namespace {

// Where nobody looks: a file, a pipe.
constexpr size_t kUsualWidth = 80, kWidest = 110;

constexpr const char* kExitCodes =
    "\nExit codes:\n  0 ok\n  1 internal error\n  2 wrong command line, or a dim without a maximum\n  3 malformed file\n"
    "  4 not supported: operator, type, opset, target, CPU\n  5 a limit was exceeded, or memory ran out\n  6 input or output "
    "failed\n"
    "  7 accuracy or verification below the gate\n  8 wrong checksum or signature\n  130 interrupted\n";

// The command as a shell would take it again.
std::string shell_words(const std::vector<std::string>& words) {
  std::string s = "edgeconv";
  for (const std::string& w : words) {
    const bool plain =
        !w.empty() &&
        w.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%") == std::string::npos;
    std::string quoted;
    for (const char c : w) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    s += plain ? " " + w : " '" + quoted + "'";
  }
  return s;
}

struct Commands {
  CLI::App app;
  std::vector<std::pair<CLI::App*, Action>> actions;

  Commands(const CommandLine& line, const std::string& words, std::shared_ptr<CLI::FormatterBase> format)
      : app(line.description, line.name) {
    app.formatter(std::move(format));
    app.set_help_flag("-h,--help", "this text");
    app.set_version_flag("--version", line.version, "the version");
    app.require_subcommand(1);
    for (const Verb& v : line.verbs) {
      CLI::App* sub = app.add_subcommand(v.name, v.summary);
      Arguments declared(*sub, words);
      actions.emplace_back(sub, v.add(declared));
      sub->set_help_flag("-h,--help", "this text")->group("Help");  // last
      sub->footer(sub->get_footer() + kExitCodes);
    }
    app.footer(
        "Example:\n  edgeconv model.onnx --dim sequence=128\n      the same as edgeconv convert model.onnx: writes model.ert\n"
        "  edgeconv help run\n      the options of a verb\n" +
        std::string(kExitCodes));
  }

  CLI::App* verb(const std::string& name) const {
    for (const auto& [sub, action] : actions)
      if (sub->get_name() == name) return sub;
    return nullptr;
  }
  std::string verbs() const {
    std::string s;
    for (const auto& [sub, action] : actions) s += (s.empty() ? "" : ", ") + sub->get_name();
    return s;
  }
  std::vector<std::string> verb_names() const {
    std::vector<std::string> names;
    for (const auto& [sub, action] : actions) names.push_back(sub->get_name());
    names.push_back("help");
    return names;
  }
};

int refuse_words(const std::string& message) {
  tell("error: " + message + "\n");
  return static_cast<int>(ExitCode::kUsage);
}

// What other programs call it. No distance of letters leads there.
std::string other_name_text(const std::string& word) {
  static const std::map<std::string, std::string> kMeant = {
      {"version", "edgeconv --version"}, {"usage", "edgeconv help"},      {"quantize", "edgeconv convert"},
      {"compile", "edgeconv convert"},   {"info", "edgeconv inspect"},    {"show", "edgeconv inspect"},
      {"check", "edgeconv verify"},      {"bench", "ert-bench"},          {"benchmark", "ert-bench"},
      {"ert-bench", "ert-bench"},        {"compare", "edgeconv validate"}};
  const auto found = kMeant.find(word);
  return found == kMeant.end() ? "" : found->second;
}

std::string no_verb_text(const Commands& c, const std::string& word) {
  const std::string nearest = nearest_word(word, c.verb_names()), other = other_name_text(word);
  const std::string meant = !other.empty() ? other : nearest.empty() ? "" : "edgeconv " + nearest;
  return "'" + printable(word) + "' is neither a verb nor a file" + (meant.empty() ? "." : "; did you mean '" + meant + "'?") +
         " Verbs: " + c.verbs() + ", help";
}

int show_help(const Commands& c, const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] == "help") {
    print_text(c.app.help());
    return 0;
  }
  const CLI::App* sub = c.verb(words[1]);
  if (!sub) {
    const std::string nearest = nearest_word(words[1], c.verb_names());
    return refuse_words("help " + printable(words[1]) + ": there is no such verb" +
                        (nearest.empty() ? "." : "; did you mean '" + nearest + "'?") + " Verbs: " + c.verbs());
  }
  print_text(sub->help(c.app.get_name()));
  return 0;
}

// What CLI11 says of the words, with what comes before it in importance: an option that does not exist is why an argument is missing.
// words: as they were typed. Of "-version" CLI11 takes "-v" for an option and leaves "-ersion".
std::string mistake_text(const Commands& c, const CLI::App& sub, const CLI::ParseError& e,
                         const std::vector<std::string>& words) {
  const std::string command = "edgeconv " + sub.get_name();
  const std::string more = "; usage: " + usage_text(sub, command) + " (" + command + " --help lists them)";
  const std::vector<std::string> left = c.app.remaining(true);
  const std::vector<std::string> more_options = {"--version", "--help"};
  for (const std::string& word : left) {
    if (word.size() < 2 || word[0] != '-') continue;
    const auto typed = std::find_if(words.begin(), words.end(), [&](const std::string& w) {
      return w == word || (word[1] != '-' && w.size() > 1 && w[0] == '-' && w[1] != '-' && w.ends_with(word.substr(1)));
    });
    return unknown_option_text(sub, typed == words.end() ? word : *typed, more_options) + " " + command +
           " --help lists the options";
  }
  if (!left.empty()) return "'" + printable(left.front()) + "' is one argument too many" + more;
  if (const auto* missing = dynamic_cast<const CLI::RequiredError*>(&e)) {
    for (const CLI::Option* o : sub.get_options([](const CLI::Option* x) { return x->get_required() && x->count() == 0; }))
      return (o->get_positional() ? name_text(*o, true) + " is missing: " + o->get_description()
                                  : o->get_name(false, true) + value_text(*o) + " is required") +
             more;
    return printable(missing->what()) + more;
  }
  if (const std::string what = e.what(); what.find(" excludes ") != std::string::npos)
    return printable(what) + ": give one of the two; " + command + " --help explains them";
  const std::string said = printable(wrong_value_text(e.what()));
  return said + (said.back() == '?' ? " " : "; ") + command + " --help explains it";
}

// CLI11 takes the next word for the value of "--name=", and then says something about words that are right.
std::string empty_value_text(const CLI::App& sub, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word.size() < 4 || word.find('=') != word.size() - 1 || word.rfind("--", 0) != 0) continue;
    const CLI::Option* o = sub.get_option_no_throw(word.substr(0, word.size() - 1));
    if (!o) continue;
    return word + ": nothing stands behind the '='; " +
           (o->get_items_expected_max() == 0 ? "write " + o->get_name(false, true) + " alone"
                                             : "write " + o->get_name(false, true) + value_text(*o)) +
           " (edgeconv " + sub.get_name() + " --help explains it)";
  }
  return "";
}

// A word that may be the name of a file that is not there: it has a folder or an ending.
bool looks_like_a_file(const std::string& word) {
  std::error_code error;
  return std::filesystem::exists(word, error) || word.find('/') != std::string::npos ||
         std::filesystem::path(word).has_extension();
}

}  // namespace

int run_command_line(const CommandLine& line, std::vector<std::string> words) {
  Commands c(line, shell_words(words),
             std::make_shared<HelpFormat>(std::min(kWidest, terminal_width(STDOUT_FILENO, kUsualWidth))));
  if (words.empty()) {
    tell("usage: edgeconv MODEL.onnx [-o OUT.ert]\n       edgeconv VERB ...\nVerbs: " + c.verbs() +
         ", help\nMore: edgeconv --help, edgeconv help VERB\n");
    return static_cast<int>(ExitCode::kUsage);
  }
  if (words[0] == "help") return show_help(c, words);
  const bool option = words[0].size() > 1 && words[0][0] == '-';
  if (!c.verb(words[0]) && words[0] != "-h" && words[0] != "--help" && words[0] != "--version") {
    if (!option && !looks_like_a_file(words[0])) return refuse_words(no_verb_text(c, words[0]));
    words.insert(words.begin(), "convert");
  }
  const std::string verb = words[0];
  if (const CLI::App* sub = c.verb(verb))
    if (const std::string empty = empty_value_text(*sub, words); !empty.empty()) return refuse_words(empty);
  const std::vector<std::string> typed = words;
  std::reverse(words.begin(), words.end());  // the order in which CLI11 takes a vector
  try {
    c.app.parse(std::move(words));
  } catch (const CLI::Success& e) {  // help and version
    std::ostringstream out, err;
    c.app.exit(e, out, err);
    print_text(out.str());
    return 0;
  } catch (const CLI::ParseError& e) {
    const CLI::App* sub = c.verb(verb);
    return refuse_words(sub ? mistake_text(c, *sub, e, typed) : printable(e.what()) + "; edgeconv --help lists what there is");
  }
  for (const auto& [sub, action] : c.actions)
    if (sub->parsed()) return action();
  return 0;
}

}  // namespace edgeconv::cli
