// Follows links one by one: those of /proc/self/fd must not be followed to the name that was opened there.
#include "convert/files/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace edgeconv {

namespace {

namespace fs = std::filesystem;

// As the kernel's own limit.
constexpr int kMostLinks = 40;

// The descriptor that an entry of this process's table of open files stands for, or -1.
int descriptor_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.empty() || name.size() > 6 || !std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
    return -1;
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error), own = fs::canonical("/proc/self", error);
  if (error || folder.filename() != "fd") return -1;
  const auto [end, rest] = std::mismatch(own.begin(), own.end(), folder.begin(), folder.end());
  return end == own.end() ? std::atoi(name.c_str()) : -1;
}

void take(OutputPlace& place, const struct stat& s) {
  place.exists = true;
  place.device = s.st_dev;
  place.inode = s.st_ino;
  place.mode = s.st_mode;
}

OutputPlace open_descriptor(int descriptor, const std::string& path) {
  OutputPlace place{OutputPlace::Kind::kDescriptor, path, descriptor};
  struct stat s;
  if (fstat(descriptor, &s) == 0) take(place, s);
  return place;
}

OutputPlace::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return OutputPlace::Kind::kFile;
  if (S_ISDIR(mode)) return OutputPlace::Kind::kFolder;
  return S_ISBLK(mode) ? OutputPlace::Kind::kDisk : OutputPlace::Kind::kStream;
}

}  // namespace

OutputPlace output_place(const std::string& path) {
  if (path == "-") return open_descriptor(STDOUT_FILENO, path);
  fs::path at = path;
  std::error_code error;
  for (int links = 0; links < kMostLinks; ++links) {
    if (!at.has_parent_path()) at = "." / at;
    if (const int n = descriptor_of(at); n >= 0) return open_descriptor(n, path);
    struct stat s;
    if (lstat(at.c_str(), &s) != 0) {
      const fs::path folder = fs::weakly_canonical(at.parent_path(), error);
      return {OutputPlace::Kind::kNew, (error ? at : folder / at.filename()).string()};
    }
    if (!S_ISLNK(s.st_mode)) {
      const fs::path whole = fs::canonical(at, error);
      OutputPlace place{kind_of(s.st_mode), (error ? at : whole).string()};
      take(place, s);
      return place;
    }
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return {OutputPlace::Kind::kNowhere, path};
}

bool same_place(const OutputPlace& a, const OutputPlace& b) {
  if (a.kind == OutputPlace::Kind::kDescriptor && b.kind == a.kind && a.descriptor == b.descriptor) return true;
  if (a.exists && b.exists) return a.device == b.device && a.inode == b.inode && !S_ISCHR(a.mode);
  return !a.exists && !b.exists && a.path == b.path;
}

}  // namespace edgeconv
