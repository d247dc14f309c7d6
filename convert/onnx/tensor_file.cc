// Reading and writing of .pb tensors.
#include "convert/onnx/tensor_file.h"

#include <limits>

#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/files/mapped_file.h"
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
  proto.clear_payload_offset(), proto.clear_payload_bytes();  // of a model's file, which is none here
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

}  // namespace edgeconv
