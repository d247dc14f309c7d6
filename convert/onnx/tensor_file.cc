// Reading and writing of .pb tensors.
#include "convert/onnx/tensor_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/mapped_file.h"
#include "convert/onnx/model.h"
#include "convert/onnx/onnx.pb.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

Tensor read_tensor_pb(const std::string& path, std::string* name) {
  const auto file = MappedFile::open(path);
  pb::TensorProto proto;
  if (file->bytes > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !proto.ParseFromArray(file->data, static_cast<int>(file->bytes)) || !proto.has_data_type()) {
    throw FatalError(ExitCode::kMalformed, path + ": this is no serialized TensorProto");
  }
  if (name) *name = proto.name();
  TensorReader reader(path);
  try {
    return reader.read(proto).aligned();
  } catch (const FatalError& e) {
    throw FatalError(e.code(), path + ": " + e.what());
  } catch (const std::exception& e) {
    throw FatalError(ExitCode::kMalformed, path + ": " + e.what());
  }
}

void write_tensor_pb(const std::string& path, const std::string& name, const Tensor& t) {
  pb::TensorProto proto;
  for (int64_t d : t.dims()) proto.add_dims(d);
  proto.set_data_type(static_cast<int32_t>(t.dtype()));
  proto.set_name(name);
  proto.set_raw_data(t.data(), t.bytes());
  std::string bytes;
  if (!proto.SerializeToString(&bytes)) throw FatalError(ExitCode::kLimit, path + ": the tensor is too large for a .pb file");
  write_file_atomically(path, bytes.data(), bytes.size());
}

void write_file_atomically(const std::string& path, const void* data, size_t bytes) {
  const std::string part = path + ".part" + std::to_string(getpid());
  const auto fail = [&](const char* what) {
    const std::string why = std::strerror(errno);
    std::remove(part.c_str());
    throw FatalError(ExitCode::kIo, path + ": " + what + " (" + why + ")");
  };
  std::FILE* f = std::fopen(part.c_str(), "wb");
  if (!f) fail("cannot be created");
  const bool written = std::fwrite(data, 1, bytes, f) == bytes && std::fflush(f) == 0 && fsync(fileno(f)) == 0;
  if (std::fclose(f) != 0 || !written) fail("cannot be written");
  if (std::rename(part.c_str(), path.c_str()) != 0) fail("cannot be renamed into place");
}

}  // namespace edgeconv
