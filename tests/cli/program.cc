// Child processes by fork and exec; the streams go to files, so that no pipe can fill up.
#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void child(const std::string& program, const std::vector<std::string>& arguments, const ProgramOptions& options,
                        const fs::path& streams) {
  const int out = open((streams / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = open((streams / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(126);
  if (!options.standard_input.empty()) {
    const int in = open(options.standard_input.c_str(), O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0) _exit(126);
  }
  if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) _exit(126);
  if (options.umask >= 0) umask(static_cast<mode_t>(options.umask));
  for (const std::string& e : options.environment) putenv(const_cast<char*>(e.c_str()));
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execvp(program.c_str(), argv.data());
  _exit(127);
}

void interrupt_when_it_speaks(pid_t pid, const fs::path& stream, int bytes) {
  for (int i = 0; i < 60000; ++i) {
    std::error_code error;
    const auto size = fs::file_size(stream, error);
    if (!error && size >= static_cast<uintmax_t>(bytes)) break;
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid) break;
    usleep(500);
  }
  kill(pid, SIGINT);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "edgeconv-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

std::vector<std::string> TemporaryFolder::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    names.push_back(fs::relative(entry.path(), path_).string() + (entry.is_directory() ? "/" : ""));
  std::sort(names.begin(), names.end());
  return names;
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TemporaryFolder streams;
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) child(program, arguments, options, streams.path());
  if (options.interrupt_after_stderr_bytes > 0)
    interrupt_when_it_speaks(pid, streams.path() / "err", options.interrupt_after_stderr_bytes);
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) throw std::runtime_error("lost a child process");
  ProgramResult r;
  r.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  r.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  r.peak_kb = usage.ru_maxrss;
  r.out = read_file(streams.path() / "out");
  r.err = read_file(streams.path() / "err");
  if (program == EDGECONV_BINARY) record_message(r.exit_code, arguments, r.err);
  return r;
}

void record_message(int exit_code, const std::vector<std::string>& arguments, const std::string& err) {
  const char* file = std::getenv("EDGECONV_MESSAGES");
  if (!file) return;
  std::string record = std::to_string(exit_code);
  for (const std::string& a : arguments) record += '\x1f' + a;
  std::ofstream(file, std::ios::binary | std::ios::app) << record + '\x1e' + err + '\x1d';
}

ProgramResult edgeconv(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  return run_program(EDGECONV_BINARY, arguments, options);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace edgeconv::testing
