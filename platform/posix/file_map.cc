// Read-only mapping of regular files: see file_map.h.
#include "platform/posix/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

int map_descriptor(int fd, ert_file_map* map) {
  struct stat info;
  if (fstat(fd, &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EINVAL;
  if (info.st_size < 0 || static_cast<uint64_t>(info.st_size) > SIZE_MAX) return EFBIG;
  const size_t bytes = static_cast<size_t>(info.st_size);
  if (bytes == 0) return 0;
  void* data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return errno;
  map->data = data;
  map->bytes = bytes;
  return 0;
}

}  // namespace

int ert_file_map_open(ert_file_map* map, const char* path) {
  if (map == nullptr || path == nullptr) return EINVAL;
  *map = ert_file_map{nullptr, 0};
  // Nonblocking: opening a FIFO must not wait for a writer.
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  const int error = map_descriptor(fd, map);
  close(fd);
  return error;
}

void ert_file_map_close(ert_file_map* map) {
  if (map == nullptr || map->data == nullptr) return;
  munmap(const_cast<void*>(map->data), map->bytes);
  *map = ert_file_map{nullptr, 0};
}
