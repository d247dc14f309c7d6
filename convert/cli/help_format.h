// How the help of edgeconv and ert-bench looks: CLI11's formatter, with lines of the terminal's width. A header, because each file
// that includes CLI11 costs seconds of build and both programs have one already.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace edgeconv::cli {

// Words in lines of at most `width` columns, each behind `indent` blanks; a word that is longer stands alone, cut to the width.
inline std::string wrapped(const std::string& text, size_t indent, size_t width) {
  const size_t room = width > indent + 8 ? width - indent : 8;
  std::string out, line;
  const auto end_line = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > room) end_line();
    for (; word.size() > room; word.erase(0, room)) out += std::string(indent, ' ') + word.substr(0, room) + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
  return out;
}

// What stands behind an option: its value, and that it must be given.
inline std::string value_text(const CLI::Option& o) {
  return o.get_type_size() == 0 || o.get_positional() || o.get_type_name().empty() ? "" : " " + o.get_type_name();
}

// "-o,--output" reads "-o, --output"; arguments by position in capitals, as in usage lines.
inline std::string name_text(const CLI::Option& o, bool by_position) {
  std::string name = o.get_name(by_position, !by_position);
  if (by_position) {
    if (name.find('.') == std::string::npos)
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
  }
  const size_t comma = name.find(',');
  return comma == std::string::npos ? name : name.substr(0, comma) + ", " + name.substr(comma + 1);
}

inline std::string usage_text(const CLI::App& app, const std::string& name) {
  std::string s = name;
  for (const CLI::Option* o : app.get_options([](const CLI::Option* x) { return x->get_positional(); })) {
    const std::string shown = name_text(*o, true) + (o->get_expected_max() > 1 ? "..." : "");
    s += o->get_required() ? " " + shown : " [" + shown + "]";
  }
  for (const CLI::Option* o : app.get_options([](const CLI::Option* x) { return x->nonpositional() && x->get_required(); }))
    s += " " + o->get_name(false, false) + value_text(*o);
  if (!app.get_subcommands([](const CLI::App* x) { return !x->get_name().empty(); }).empty()) s += " VERB";
  return s + " [options]";
}

class HelpFormat : public CLI::Formatter {
 public:
  // footer: lines of which those that begin with a blank are kept as they are, unless they are longer than the width.
  explicit HelpFormat(size_t width) : width_(width) {}

  std::string make_description(const CLI::App* app) const override { return wrapped(app->get_description(), 0, width_); }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return "\nusage:\n" + wrapped(usage_text(*app, name), 2, width_) + "\n";
  }
  std::string make_positionals(const CLI::App* app) const override {
    const auto all = app->get_options([](const CLI::Option* o) { return !o->get_group().empty() && o->get_positional(); });
    return all.empty() ? std::string() : make_group("Arguments", true, all) + "\n";
  }
  std::string make_group(std::string group, bool by_position, std::vector<const CLI::Option*> options) const override {
    std::string s = group + ":\n";  // CLI11 puts an empty line between groups
    for (const CLI::Option* o : options) s += make_option(o, by_position);
    return s;
  }
  std::string make_option(const CLI::Option* o, bool by_position) const override {
    return row(name_text(*o, by_position) + value_text(*o), o->get_description());
  }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode) const override {
    std::string s;
    for (const CLI::App* sub : app->get_subcommands({})) s += row(sub->get_name(), sub->get_description());
    return s.empty() ? s : "\nVerbs:\n" + s;
  }
  std::string make_footer(const CLI::App* app) const override {
    std::string s;
    std::istringstream lines(app->get_footer());
    for (std::string line; std::getline(lines, line);) {
      const size_t indent = line.find_first_not_of(' ');
      s += indent == std::string::npos ? "\n" : wrapped(line, indent, width_);
    }
    return s;
  }

 private:
  static constexpr size_t kColumn = 26, kNarrow = 64;
  std::string row(const std::string& left, const std::string& right) const {
    const bool narrow = width_ < kNarrow;
    const size_t column = narrow ? 6 : kColumn;
    if (narrow || left.size() + 4 > column) return wrapped(left, 2, width_) + wrapped(right, column, width_);
    std::string s = wrapped(right, column, width_);
    s.replace(2, left.size(), left);
    return s;
  }
  size_t width_;
};

}  // namespace edgeconv::cli
