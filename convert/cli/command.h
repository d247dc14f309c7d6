// A verb of the command line: registers its options on a CLI11 subcommand and gives the function to run. Data goes to stdout,
// messages to stderr; errors are FatalErrors with the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace edgeconv::cli {

using Action = std::function<int()>;

Action add_convert(CLI::App& app);
Action add_inspect(CLI::App& app);
Action add_verify(CLI::App& app);
Action add_run(CLI::App& app);
Action add_validate(CLI::App& app);
Action add_export(CLI::App& app);
Action add_supported_ops(CLI::App& app);

}  // namespace edgeconv::cli
