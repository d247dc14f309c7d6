// What is said of an option that does not exist. A header as help_format.h is, for the same two programs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "convert/cli/nearest_word.h"

namespace edgeconv::cli {

// word: as it was typed, also with "=VALUE". others: options that hold without this command.
inline std::string unknown_option_text(const CLI::App& app, const std::string& word, const std::vector<std::string>& others) {
  const std::string typed = word.substr(0, word.find('='));
  std::vector<std::string> names = others;
  for (const CLI::Option* o : app.get_options([](const CLI::Option* x) { return x->nonpositional(); }))
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  // Dashes are the same in all names: they say nothing of how near two are.
  std::vector<std::string> bare;
  for (const std::string& n : names) bare.push_back(n.substr(2));
  const size_t begin = typed.find_first_not_of('-');
  const std::string nearest = begin == std::string::npos ? "" : nearest_word(typed.substr(begin), bare);
  std::string shown;
  for (const char c : typed) shown += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return "there is no option '" + shown + "'" + (nearest.empty() ? "." : "; did you mean '--" + nearest + "'?");
}

// What CLI11 says of a value that an option does not take ("--format: hx not in {c,hex}", "Value x not in range 1 to 9"), as a
// sentence with the value that was meant; other messages as they are.
inline std::string wrong_value_text(const std::string& what) {
  static const std::string kMember = " not in {", kRange = " not in range ", kValue = "Value ";
  const size_t colon = what.find(": ");
  if (colon == std::string::npos) return what;
  const std::string option = what.substr(0, colon + 2);
  if (const size_t at = what.rfind(kMember); at != std::string::npos && at > colon && what.back() == '}') {
    const std::string value = what.substr(colon + 2, at - colon - 2);
    std::vector<std::string> members(1);
    std::string list;
    for (size_t i = at + kMember.size(); i + 1 < what.size(); ++i) {
      if (what[i] == ',')
        members.emplace_back();
      else
        members.back() += what[i];
    }
    for (size_t i = 0; i < members.size(); ++i) list += (i == 0 ? "" : i + 1 < members.size() ? ", " : " or ") + members[i];
    const std::string nearest = nearest_word(value, members);
    return option + "'" + value + "' is not " + list + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
  }
  static const std::string kRequired = "1 required ", kMissing = " missing";
  if (what.compare(colon + 2, kRequired.size(), kRequired) == 0 && what.size() > kMissing.size() &&
      what.compare(what.size() - kMissing.size(), kMissing.size(), kMissing) == 0) {
    const size_t from = colon + 2 + kRequired.size();
    return option + "its value is missing; write " + what.substr(0, colon) + " " +
           what.substr(from, what.size() - kMissing.size() - from);
  }
  const size_t at = what.rfind(kRange);
  if (at == std::string::npos || what.compare(colon + 2, kValue.size(), kValue) != 0) return what;
  const size_t from = colon + 2 + kValue.size();
  return option + "'" + what.substr(from, at - from) + "' is not a number from " + what.substr(at + kRange.size());
}

}  // namespace edgeconv::cli
