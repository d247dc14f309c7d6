// Mapping with error messages.
#include "convert/cli/blob_file.h"

#include <cstring>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

BlobFile::BlobFile(const std::string& path) {
  if (const int error = ert_file_map_open(&map_, path.c_str()); error != 0) throw FatalError(ExitCode::kIo, "cannot read '" + path + "': " + std::strerror(error));
}

BlobFile::~BlobFile() { ert_file_map_close(&map_); }

bool BlobFile::looks_like_blob() const { return map_.bytes >= 4 && std::memcmp(map_.data, "ERT1", 4) == 0; }

}  // namespace edgeconv::cli
