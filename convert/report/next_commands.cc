#include "convert/report/next_commands.h"

#include <fmt/format.h>

#include <filesystem>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

std::string shell_word(const std::string& word) {
  const std::string shown = escaped(word);
  return !word.empty() && word.find_first_of(" '\"$&();<>|*?#`\\!") == std::string::npos ? shown : "'" + shown + "'";
}

std::string next_with_blob(const std::string& blob, bool answers, bool inspected) {
  const std::string name = shell_word(blob);
  const std::string run =
      fmt::format("edgeconv run {} {}; ert-bench {}", name, answers ? "--text \"...\"" : "--input NAME=1,2,3 --print", name);
  if (!inspected) return fmt::format("next      edgeconv inspect {}; {}\n", name, run);
  const std::string stem = std::filesystem::path(blob).stem().string();
  return fmt::format("next      {}; edgeconv export {} --format c -o {}\n", run, name, shell_word(stem + ".c"));
}

std::string next_with_model(const std::string& model, const std::vector<std::string>& options) {
  std::string s = "next      edgeconv " + shell_word(model);
  for (const std::string& o : options) s += " " + shell_word(o);
  return s + fmt::format(" -o {}\n", shell_word(std::filesystem::path(model).stem().string() + ".ert"));
}

}  // namespace edgeconv
