// Opens blobs, compressed ones too: see measure.h.
#include <cstdlib>
#include <cstring>

#include "bench/context_parts.h"
#include "platform/posix/file_map.h"

namespace ert::bench {

Blob::Blob(const std::string& path) {
  ert_file_map map;
  const int error = ert_file_map_open(&map, path.c_str());
  if (error != 0) throw Failure{6, path + ": " + std::strerror(error)};
  mapped_ = map.data;
  mapped_bytes_ = map.bytes;
  const uint64_t start = ert_clock_ns();
  const ert_status status = map.bytes == 0 ? ERT_ERR_TRUNCATED : ert_model_open(&model_, map.data, map.bytes);
  open_us_ = us_since(start);
  try {
    if (status == ERT_ERR_COMPRESSED) {
      expand();
    } else {
      const bool other = status == ERT_ERR_MAGIC || status == ERT_ERR_TRUNCATED;
      const bool damaged = status == ERT_ERR_CHECKSUM || status == ERT_ERR_FORMAT || status == ERT_ERR_MODEL;
      if (other || damaged)
        throw Failure{ert_exit_code(status), path + ": " + ert_status_str(status) +
                                                 (other ? "; give the .ert file that edgeconv made of a model, whole"
                                                        : "; copy it again, or convert the model again")};
      require(status, path);
    }
  } catch (const Failure&) {
    ert_file_map_close(&map);
    throw;
  }
}

void Blob::expand() {
  size_t bytes = 0, work_bytes = 0;
  require(ert_unpack_bytes(mapped_, mapped_bytes_, &bytes, &work_bytes), "compressed blob");
  Memory memory = allocate(bytes), work = allocate(work_bytes);
  require(ert_unpack(mapped_, mapped_bytes_, memory.get(), bytes, work.get(), work_bytes), "compressed blob");
  require(ert_model_open(&model_, memory.get(), bytes), "expanded blob");
  expanded_ = memory.release();
}

Blob::~Blob() {
  ert_file_map map{mapped_, mapped_bytes_};
  ert_file_map_close(&map);
  std::free(expanded_);
}

ert_info Blob::info() const {
  ert_info info{};
  info.struct_size = sizeof info;
  require(ert_model_info(&model_, &info), "info");
  return info;
}

}  // namespace ert::bench
