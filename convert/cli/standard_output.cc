// See standard_output.h.
#include "convert/cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv::cli {

namespace {

[[noreturn]] void fail() {
  throw FatalError(ExitCode::kIo, std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

void print_data(const std::string& data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) != data.size()) fail();
}

void print_text(const std::string& text) { print_data(terminal_text(text)); }

void flush_output() {
  if (std::fflush(stdout) != 0) fail();
}

void tell(const std::string& text) {
  const std::string safe = terminal_text(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace edgeconv::cli
