// A blob file mapped for reading; compressed ones are expanded in memory.
#pragma once

#include <string>

#include "convert/ir/tensor.h"
#include "platform/posix/file_map.h"

namespace edgeconv::cli {

class BlobFile {
 public:
  // Throws FatalError: kIo naming the file; what throw_status says for a compressed blob that cannot be expanded.
  explicit BlobFile(const std::string& path);
  ~BlobFile();
  BlobFile(const BlobFile&) = delete;
  BlobFile& operator=(const BlobFile&) = delete;
  // As ert_model_open wants it.
  const void* data() const { return compressed() ? expanded_.data() : map_.data; }
  size_t bytes() const { return compressed() ? expanded_.bytes() : map_.bytes; }
  // As in the file.
  bool compressed() const { return expanded_.bytes() != 0; }
  const void* stored_data() const { return map_.data; }
  size_t stored_bytes() const { return map_.bytes; }
  // True if the file has a signature, whoever's.
  bool has_signature() const;
  // True if the file begins as a blob does.
  bool looks_like_blob() const;

 private:
  void expand(const std::string& path);

  ert_file_map map_{};
  Tensor expanded_;
};

}  // namespace edgeconv::cli
