// POSIX implementation of write_file_atomically.
#include "convert/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "convert/files/output_place.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

// Name of the temporary file while it exists; a plain array, because a signal handler reads it.
char unfinished[4096] = "";
volatile sig_atomic_t wrote = 0;

void set_unfinished(const std::string& name) {
  std::strcpy(unfinished + 1, name.c_str() + 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  unfinished[0] = name[0];  // last: a handler sees the whole name or none
}

[[noreturn]] void fail(const std::string& path, const char* step) {
  const std::string reason = std::strerror(errno);
  remove_unfinished_file();
  if (path == "-") throw FatalError(ExitCode::kIo, "cannot write to standard output: " + reason);
  throw FatalError(ExitCode::kIo, "cannot write '" + path + "': " + step + ": " + reason);
}

bool write_all(int file, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  for (size_t left = bytes; left > 0;) {
    const ssize_t n = write(file, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    left -= static_cast<size_t>(n);
  }
  return true;
}

// Closes, and keeps the reason of a failure before it.
bool close_after(int file, bool good) {
  const int reason = errno;
  if (close(file) != 0) return false;
  errno = reason;
  return good;
}

// NAME.XXXXXX beside the target; a name at the limit of file systems is cut.
std::string beside(const std::string& path, const std::string& ending) {
  const std::filesystem::path p(path);
  const std::string name = p.filename().string().substr(0, 255 - 1 - ending.size()) + "." + ending;
  std::string whole = (p.parent_path() / name).string();
  if (whole.size() >= sizeof unfinished) throw FatalError(ExitCode::kIo, "cannot write: the output path is too long");
  return whole;
}

std::string random_ending() {
  static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string s;
  for (int i = 0; i < 6; ++i) s += kLetters[random() % (sizeof kLetters - 1)];
  return s;
}

// Gives an unnamed file its name. False with errno.
bool name_it(int file, const std::string& name) {
  const std::string open_file = "/proc/self/fd/" + std::to_string(file);
  return linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A name can only be replaced by renaming: between the two calls the file has a temporary one.
bool name_and_rename(int file, const std::string& path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = beside(path, random_ending());
    struct stat s;
    if (lstat(name.c_str(), &s) == 0) continue;
    set_unfinished(name);
    if (name_it(file, name)) {
      if (rename(name.c_str(), path.c_str()) != 0) {
        close_after(file, false);
        fail(path, "renaming");
      }
      unfinished[0] = 0;
      return true;
    }
    unfinished[0] = 0;
    if (errno != EEXIST) return false;
  }
  return false;
}

// False where the file system, or a system without /proc, has no unnamed files that get a name later.
bool write_unnamed(const OutputPlace& place, const std::string& path, const void* data, size_t bytes) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) != 0) return false;
  const std::string folder = std::filesystem::path(place.path).parent_path().string();
  const int file = open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return false;
  if (!write_all(file, data, bytes) || fsync(file) != 0) {
    close_after(file, false);
    fail(path, "writing");
  }
  bool named = !place.exists && name_it(file, place.path);
  if (!named && (place.exists || errno == EEXIST)) named = name_and_rename(file, place.path);
  if (!close_after(file, true)) fail(path, "closing");
  return named;
#else
  return false;
#endif
}

void write_named(const OutputPlace& place, const std::string& path, const void* data, size_t bytes) {
  std::string name = beside(place.path, "XXXXXX");
  const int file = mkstemp(name.data());
  if (file < 0) fail(path, "creating a temporary file in its folder");
  set_unfinished(name);
  // mkstemp makes the file private; outputs follow the umask as any other file.
  const mode_t mask = umask(0);
  umask(mask);
  const bool good = write_all(file, data, bytes) && fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0;
  if (!close_after(file, good)) fail(path, "writing");
  if (rename(name.c_str(), place.path.c_str()) != 0) fail(path, "renaming");
  unfinished[0] = 0;
}

void write_stream(int stream, const std::string& path, const void* data, size_t bytes) {
  if (stream < 0) fail(path, "opening");
  wrote = 1;
  if (!close_after(stream, write_all(stream, data, bytes))) fail(path, "writing");
}

}  // namespace

void remove_unfinished_file() {
  if (unfinished[0]) unlink(unfinished);
  unfinished[0] = 0;
}

bool wrote_a_file() { return wrote != 0; }

void write_file_atomically(const std::string& path, const void* data, size_t bytes, Temporary how) {
  const OutputPlace place = output_place(path);
  switch (place.kind) {
    case OutputPlace::Kind::kFolder: throw FatalError(ExitCode::kIo, "cannot write '" + path + "': it is a folder");
    case OutputPlace::Kind::kNowhere: throw FatalError(ExitCode::kIo, "cannot write '" + path + "': its links lead in a circle");
    case OutputPlace::Kind::kDescriptor:
      std::fflush(stdout);  // in the order of the calls
      return write_stream(dup(place.descriptor), path, data, bytes);
    case OutputPlace::Kind::kStream:
    case OutputPlace::Kind::kDisk:
      return write_stream(open(place.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC), path, data, bytes);
    case OutputPlace::Kind::kNew:
    case OutputPlace::Kind::kFile:
      if (how == Temporary::kNamed || !write_unnamed(place, path, data, bytes)) write_named(place, path, data, bytes);
      wrote = 1;
  }
}

}  // namespace edgeconv
