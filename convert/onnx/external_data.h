// External data files of a model. A model file is untrusted, so its locations may name only files in the model's own folder:
// no absolute paths, no "..", and no symbolic link that leads out. One exception keeps the Hugging Face cache usable, where the
// model and its data are links into one folder of blobs: when the model itself is a link, its data may be beside the link's
// target. Hard links cannot be told from other files of the folder: they are read (package stores and backups are full of
// them), with a warning. Sizes are checked when a file is opened; who cuts it while edgeconv reads it ends the conversion with an
// I/O error (exit 6), because the mapping then raises SIGBUS. Locations are POSIX paths (onnx.proto); files from Windows may have
// backslashes, which separate folders where no file has the name as it is. Known limit: someone who can write to that folder while
// edgeconv runs can exchange files between check and open.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "convert/files/mapped_file.h"

namespace edgeconv {

class ExternalData {
 public:
  explicit ExternalData(const std::string& model_path) : model_path_(model_path) {}

  // Throws NodeError when the location is not allowed, FatalError(kIo) when the file cannot be read.
  std::shared_ptr<const MappedFile> open(const std::string& location);

  // Counts what tensors read. Throws FatalError(kLimit) when it is far more than the files have: tensors over the same bytes would let a small file
  // ask for any memory and time. Some models share a tensor so among their layers.
  void count_read(size_t bytes);

  // Remembers an entry of external_data that ONNX does not define.
  void ignore(const std::string& key) { ignored_.insert(key); }
  const std::set<std::string>& ignored() const { return ignored_; }

  // Files opened so far, by location.
  const std::map<std::string, std::shared_ptr<const MappedFile>>& files() const { return files_; }

 private:
  std::string resolve(const std::string& location) const;

  std::string model_path_;
  std::set<std::string> ignored_;
  std::set<std::pair<uint64_t, uint64_t>> identities_;
  double stored_ = 0, holes_ = 0, read_ = 0;  // of all files; by all tensors
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace edgeconv
