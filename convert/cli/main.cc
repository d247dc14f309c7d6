// edgeconv: the command line. `edgeconv MODEL.onnx` is short for `edgeconv convert MODEL.onnx`.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "convert/cli/command.h"
#include "convert/cli/memory_limit.h"
#include "convert/cli/standard_output.h"
#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/blob/version.h"
#include "platform/posix/own_stack.h"

namespace {

using edgeconv::ExitCode;

void on_interrupt(int) {
  static constexpr char kNothing[] = "\r\033[Kerror: interrupted; nothing was written\n";
  static constexpr char kSome[] = "\r\033[Kerror: interrupted; what was complete before stays, nothing unfinished was left\n";
  edgeconv::remove_unfinished_file();
  // On a terminal the progress bar, or ^C, stands in the line.
  const size_t skipped = isatty(STDERR_FILENO) ? 0 : 4;
  const bool some = edgeconv::wrote_a_file();
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, (some ? kSome : kNothing) + skipped, (some ? sizeof kSome : sizeof kNothing) - 1 - skipped);
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

// A mapped file (model, external data, blob) was cut or could not be read further. Only calls that are safe in a handler.
void on_lost_file(int) {
  static constexpr char kMessage[] = "error: a file became shorter, or its disk failed, while it was read; nothing was written\n";
  edgeconv::remove_unfinished_file();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(static_cast<int>(ExitCode::kIo));
}

// Memory that ran out where no exception may leave: in a destructor, or while another one is on its way.
[[noreturn]] void on_terminate() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    static constexpr char kMessage[] = "error: out of memory\n";
    edgeconv::remove_unfinished_file();
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(static_cast<int>(ExitCode::kLimit));
  } catch (...) {
  }
  std::abort();
}

int fail(ExitCode code, const std::string& message) {
  edgeconv::cli::tell("error: " + message + "\n");
  return static_cast<int>(code);
}

// A command has done its work when what it printed has arrived.
int finished(int code) {
  edgeconv::cli::flush_output();
  return code;
}

int run_verb(int argc, char** argv) {
  constexpr edgeconv::cli::Verb kVerbs[] = {
      {"convert", "ONNX model to blob (the default)", edgeconv::cli::add_convert},
      {"inspect", "what is in a model, what would become of it and what it would cost; what is in a blob",
       edgeconv::cli::add_inspect},
      {"verify", "check a blob's integrity and structure, and with --key whose signature it has", edgeconv::cli::add_verify},
      {"keygen", "a pair of keys for signed blobs", edgeconv::cli::add_keygen},
      {"sign", "sign a blob", edgeconv::cli::add_sign},
      {"run", "run a blob on given inputs", edgeconv::cli::add_run},
      {"tokenize", "lines of text (standard input) to ids, by a tokenizer's file or a blob's tokenizer",
       edgeconv::cli::add_tokenize},
      {"validate", "compare a blob with the model it came from", edgeconv::cli::add_validate},
      {"export", "a blob as C array, assembler include, Intel HEX, S-records, UF2 or plain bytes", edgeconv::cli::add_export},
      {"supported-ops", "ONNX operators that can be imported", edgeconv::cli::add_supported_ops},
  };
  return finished(
      edgeconv::cli::run_command_line({"edgeconv", "edgeconv converts an ONNX encoder to an int8 blob for the ert runtime",
                                       std::string("edgeconv ") + edgeconv::kVersion, kVerbs},
                                      {argv + 1, argv + argc}));
}

// run_verb, with what it throws as a message and an exit code.
int run(int argc, char** argv) {
  try {
    return run_verb(argc, argv);
  } catch (const edgeconv::FatalError& e) {
    return fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kLimit, edgeconv::cli::out_of_memory_text());
  } catch (const std::filesystem::filesystem_error& e) {  // names that are too long, loops of links
    return fail(ExitCode::kIo, "cannot read '" + edgeconv::printable(e.path1().string()) + "': " + e.code().message());
  } catch (const std::exception& e) {
    return fail(ExitCode::kInternal, std::string("internal error, please report it with the command: ") + e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Who ignores them (nohup) goes on.
  for (const int s : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(s, SIG_IGN) != SIG_IGN) std::signal(s, on_interrupt);
  // Writing then fails with a reason.
  for (const int s : {SIGPIPE, SIGXFSZ}) std::signal(s, SIG_IGN);
  std::signal(SIGBUS, on_lost_file);
  std::set_terminate(on_terminate);
  int code = 0;
  if (ert_run_on_enough_stack(run, argc, argv, &code)) return code;
  return fail(ExitCode::kLimit, "the stack (ulimit -s) is limited, and there is no memory for another one");
}
