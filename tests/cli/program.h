// Runs the built edgeconv as a user would: a child process in a fresh folder, its exit code and both streams.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace edgeconv::testing {

// A folder that exists as long as the object; removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Relative names of all files below it, sorted; folders end in '/'.
  std::vector<std::string> listing() const;

 private:
  std::filesystem::path path_;
};

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out, err;
  double cpu_seconds = 0;  // of the program and of what it waited for
  long peak_kb = 0;        // its largest resident set
};

// What AddressSanitizer may add to a program's peak_kb: its shadow, and memory that it keeps from being used again (256 MB).
#if defined(__SANITIZE_ADDRESS__)
constexpr long kSanitizerKb = 400 << 10;
#else
constexpr long kSanitizerKb = 0;
#endif

struct ProgramOptions {
  std::filesystem::path cwd;             // empty: as the test's own
  std::vector<std::string> environment;  // NAME=VALUE, added to the test's own
  int umask = -1;                        // -1: as it is
  int interrupt_after_stderr_bytes = 0;  // > 0: SIGINT once this much is on stderr
  std::filesystem::path standard_input{};  // a file; empty: the test's own
};

// Adds what was said to the file that the environment names EDGECONV_MESSAGES, for messages_test.py; nothing without it.
void record_message(int exit_code, const std::vector<std::string>& arguments, const std::string& err);
// The program is found by the compile definition EDGECONV_BINARY.
ProgramResult edgeconv(const std::vector<std::string>& arguments, const ProgramOptions& options = {});
// Any program, by path or name.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const ProgramOptions& options = {});

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace edgeconv::testing
