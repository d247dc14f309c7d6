// Maps files by mmap; refuses what is not a regular file (a FIFO would hang, a directory cannot be mapped).
#include "convert/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

// Bytes that the file system keeps; all where it does not tell.
int64_t stored_bytes(int fd, int64_t size) {
  int64_t stored = 0;
  for (off_t at = 0; at < size;) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0) return errno == ENXIO ? stored : size;  // ENXIO: nothing but a hole from here
    const off_t hole = lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return size;
    stored += hole - data;
    at = hole;
  }
  return stored;
}

}  // namespace

MappedFile::~MappedFile() {
  if (bytes > 0) munmap(const_cast<uint8_t*>(data), bytes);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw FatalError(ExitCode::kIo, "cannot read '" + printable(path) + "': " + why);
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(std::strerror(errno));
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  struct stat st {};
  if (fstat(fd, &st) != 0) fail(std::strerror(errno));
  if (S_ISDIR(st.st_mode)) fail("it is a directory; name a file in it");
  if (!S_ISREG(st.st_mode)) fail("it is not a regular file");
  const int64_t stored = std::min<int64_t>(stored_bytes(fd, st.st_size), st.st_size);  // it may grow meanwhile
  if (st.st_size - stored > stored + kMostHoles)
    throw FatalError(ExitCode::kLimit,
                     "'" + printable(path) + "' has " + std::to_string(st.st_size) + " bytes, of which " +
                         std::to_string(stored) +
                         " are stored and the others are holes: it was not written to its end; copy or export it again");
  auto file = std::make_shared<MappedFile>();
  file->hard_links = static_cast<uint64_t>(st.st_nlink);
  file->identity = {st.st_dev, st.st_ino};
  if (st.st_size > 0) {
    void* p = mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED && errno == ENOMEM) throw std::bad_alloc();
    if (p == MAP_FAILED) fail(std::strerror(errno));
    file->data = static_cast<const uint8_t*>(p);
    file->bytes = static_cast<size_t>(st.st_size);
    file->stored = static_cast<size_t>(stored);
  }
  return file;
}

std::string why_not_mapped(int error) { return error == EINVAL ? "it is not a regular file" : std::strerror(error); }

void MappedFile::drop_pages() const {
  if (bytes > 0) madvise(const_cast<uint8_t*>(data), bytes, MADV_DONTNEED);
}

}  // namespace edgeconv
