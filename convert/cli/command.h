// A verb of the command line: declares its options and gives the function to run. Data goes to stdout,
// messages to stderr; errors are FatalErrors with the exit code.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "convert/cli/arguments.h"

namespace edgeconv::cli {

using Action = std::function<int()>;

struct Verb {
  const char* name;
  const char* summary;
  Action (*add)(Arguments& a);
};

struct CommandLine {
  std::string name, description, version;  // of the program, for --help and --version
  std::span<const Verb> verbs;
};

// Runs the verb that the arguments (without the program's name) begin with, or `convert` where they begin with a file, and gives its exit code.
// Prints what is wrong with the arguments, and help and version where they ask for those. What the verb throws passes through.
int run_command_line(const CommandLine& line, std::vector<std::string> arguments);

Action add_convert(Arguments& a);
Action add_inspect(Arguments& a);
Action add_verify(Arguments& a);
Action add_run(Arguments& a);
Action add_validate(Arguments& a);
Action add_export(Arguments& a);
Action add_supported_ops(Arguments& a);
Action add_keygen(Arguments& a);
Action add_sign(Arguments& a);
Action add_tokenize(Arguments& a);

}  // namespace edgeconv::cli
