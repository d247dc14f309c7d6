// A blob file mapped for reading; compressed ones are expanded in memory.
#pragma once

#include <string>

#include "convert/ir/tensor.h"
#include "platform/posix/file_map.h"

namespace edgeconv::cli {

class BlobFile {
 public:
  // Throws FatalError(kIo) naming the file.
  explicit BlobFile(const std::string& path);
  ~BlobFile();
  BlobFile(const BlobFile&) = delete;
  BlobFile& operator=(const BlobFile&) = delete;
  const void* data() const { return map_.data; }
  size_t bytes() const { return map_.bytes; }
  // True if the file begins as a blob does.
  bool looks_like_blob() const;

 private:
  ert_file_map map_{};
};

}  // namespace edgeconv::cli
