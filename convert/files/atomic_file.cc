// POSIX implementation of write_file_atomically.
#include "convert/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

// Name of the temporary file while it exists; a plain array, because a signal handler reads it.
char unfinished[4096] = "";

[[noreturn]] void fail(const std::string& path, const char* step) {
  const std::string reason = std::strerror(errno);
  remove_unfinished_file();
  throw FatalError(ExitCode::kIo, "cannot write '" + path + "': " + step + ": " + reason);
}

}  // namespace

void remove_unfinished_file() {
  if (unfinished[0]) unlink(unfinished);
  unfinished[0] = 0;
}

void write_file_atomically(const std::string& path, const void* data, size_t bytes) {
  const std::string temporary = path + ".XXXXXX";
  if (temporary.size() >= sizeof unfinished) throw FatalError(ExitCode::kIo, "cannot write: the output path is too long");
  char name[sizeof unfinished];
  std::strcpy(name, temporary.c_str());
  const int file = mkstemp(name);
  if (file < 0) fail(path, "creating a temporary file in its folder");
  std::strcpy(unfinished, name);
  const char* at = static_cast<const char*>(data);
  for (size_t left = bytes; left > 0;) {
    const ssize_t n = write(file, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      close(file);
      fail(path, "writing");
    }
    at += n;
    left -= static_cast<size_t>(n);
  }
  // mkstemp makes the file private; outputs follow the umask as any other file.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file, 0666 & ~mask) != 0 || fsync(file) != 0 || close(file) != 0) fail(path, "flushing");
  if (rename(name, path.c_str()) != 0) fail(path, "renaming");
  unfinished[0] = 0;
}

}  // namespace edgeconv
