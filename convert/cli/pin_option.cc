// See pin_option.h.
#include "convert/cli/pin_option.h"

#include <algorithm>
#include <filesystem>

#include "convert/cli/dim_option.h"
#include "convert/files/npy.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

bool names_a_file(const std::string& contents) { return std::filesystem::path(contents).extension() == ".npy"; }

// Names of inputs may hold '=', and so may those of files: the first one ends the name, as in run --input.
std::pair<std::string, std::string> split_constant(const std::string& text) {
  const size_t eq = text.find('=');
  if (eq == std::string::npos || eq == 0 || eq + 1 == text.size())
    throw FatalError(ExitCode::kUsage, "--const " + text + ": write INPUT=VALUE or INPUT=FILE.npy, for example --const sr=16000");
  return {text.substr(0, eq), text.substr(eq + 1)};
}

// Names between commas; one behind a backslash is part of a name.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      names.back() += text[++i];
    else if (text[i] == ',')
      names.emplace_back();
    else
      names.back() += text[i];
  }
  return names;
}

}  // namespace

void PinOptions::declare(Arguments& a, const std::string& where) {
  a.option("--fix", fixed, where + "a dim has exactly this size, NAME=N; repeatable", {.type = "NAME=N"});
  a.option(
      "--const", constants,
      where + "an input is a constant: a number, true or false fills it, a .npy file is its contents; INPUT=VALUE, repeatable",
      {.type = "INPUT=VALUE|FILE.npy"});
  a.option("--outputs", outputs,
           where +
               "the model gives these values, in this order, and what none of them needs is left out: outputs or any value "
               "inside; a comma in a name is written \\,; repeatable",
           {.type = "NAME,.."});
}

Pinning PinOptions::parse(const std::map<std::string, int64_t>& dims) const {
  Pinning p;
  p.dims = parse_dims(fixed, "--fix");
  for (const auto& [name, size] : p.dims) {
    if (dims.count(name))
      throw FatalError(ExitCode::kUsage, "--fix " + name + " and --dim " + name +
                                             ": give one of them. --fix makes it exactly that size, --dim at most that size");
    if (size < 1 || size > INT32_MAX)
      throw FatalError(ExitCode::kUsage, "--fix " + name + "=" + std::to_string(size) + ": the size must be from 1 to " +
                                             std::to_string(INT32_MAX));
  }
  for (const std::string& text : constants) {
    const auto [name, contents] = split_constant(text);
    PinnedContents c{contents, {}};
    if (names_a_file(contents)) c.file = read_npy(contents);
    if (!p.inputs.emplace(name, std::move(c)).second)
      throw FatalError(ExitCode::kUsage, "--const " + name + " is given more than once; give one value for each input");
  }
  p.outputs = chosen_outputs();
  return p;
}

std::vector<std::string> PinOptions::chosen_outputs() const {
  std::vector<std::string> all;
  for (const std::string& text : outputs) {
    for (const std::string& name : names_in(text)) {
      if (name.empty())
        throw FatalError(ExitCode::kUsage,
                         "--outputs " + text + ": write NAME or NAME,NAME,.., for example --outputs boxes,scores");
      if (std::find(all.begin(), all.end(), name) != all.end())
        throw FatalError(ExitCode::kUsage,
                         "--outputs " + text + ": '" + name + "' is named twice; a value is one output: name it once");
      all.push_back(name);
    }
  }
  return all;
}

std::vector<std::string> PinOptions::files() const {
  std::vector<std::string> all;
  for (const std::string& text : constants)
    if (const std::string contents = text.substr(text.find('=') + 1); names_a_file(contents)) all.push_back(contents);
  return all;
}

}  // namespace edgeconv::cli
