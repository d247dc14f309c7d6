// Mapping and expanding with error messages.
#include "convert/cli/blob_file.h"

#include <cstring>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/status.h"
#include "rt/blob/header.h"

namespace edgeconv::cli {

BlobFile::BlobFile(const std::string& path) {
  if (const int error = ert_file_map_open(&map_, path.c_str()); error != 0)
    throw FatalError(ExitCode::kIo, "cannot read '" + printable(path) + "': " + why_not_mapped(error));
  try {
    ert::Header h;
    if (ert::decode_header(static_cast<const uint8_t*>(map_.data), map_.bytes, &h) == ERT_OK && h.flags & ert::kFlagCompressed)
      expand(path);
  } catch (...) {
    ert_file_map_close(&map_);
    throw;
  }
}

BlobFile::~BlobFile() { ert_file_map_close(&map_); }

void BlobFile::expand(const std::string& path) {
  size_t bytes = 0, work_bytes = 0;
  if (const ert_status s = ert_unpack_bytes(map_.data, map_.bytes, &bytes, &work_bytes); s != ERT_OK)
    throw_status(s, "'" + path + "' is not a valid compressed blob");
  Tensor out(DType::kUint8, {static_cast<int64_t>(bytes)}), work(DType::kUint8, {static_cast<int64_t>(work_bytes)});
  if (const ert_status s = ert_unpack(map_.data, map_.bytes, out.mutable_data(), bytes, work.mutable_data(), work_bytes);
      s != ERT_OK)
    throw_status(s, "'" + path + "' cannot be expanded");
  expanded_ = std::move(out);
}

bool BlobFile::has_signature() const {
  ert::Header h;
  return ert::decode_header(static_cast<const uint8_t*>(map_.data), map_.bytes, &h) == ERT_OK &&
         (h.flags & ert::kFlagSigned) != 0;
}

bool BlobFile::looks_like_blob() const {
  return map_.bytes >= ert::kMagicBytes && std::memcmp(map_.data, ert::kMagic, ert::kMagicBytes) == 0;
}

}  // namespace edgeconv::cli
