// A read-only mapping of a regular file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace edgeconv {

// A file, and all external data of a model, may have as many bytes in holes as are stored, and these: parameters that nobody wrote cost as much as others.
constexpr int64_t kMostHoles = int64_t{1} << 20;

struct MappedFile {
  const uint8_t* data = nullptr;
  size_t bytes = 0;
  size_t stored = 0;                       // of them by the file system, the others are holes; all where it does not tell
  uint64_t hard_links = 1;                 // names that the file has
  std::pair<uint64_t, uint64_t> identity;  // device and number: the same under each name

  MappedFile() = default;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Throws FatalError: kIo when the path is not a readable regular file, kLimit when it is little but holes, of which a file of no size can have 2^60
  // bytes. The file must not be cut while it is mapped.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  // Hands the memory of the pages back; they are read again when they are touched.
  void drop_pages() const;
};

// Why ert_file_map_open (platform/posix/file_map.h) did not open a file, by what it returned.
std::string why_not_mapped(int error);

}  // namespace edgeconv
