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

}  // namespace edgeconv::cli
