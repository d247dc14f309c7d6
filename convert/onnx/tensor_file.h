// Single tensors in files: serialized TensorProto (.pb), the form of ONNX's test data sets.
#pragma once

#include <string>

#include "convert/ir/tensor.h"

namespace edgeconv {

// name may be null; it receives TensorProto.name. Throws FatalError: kIo, kMalformed, kUnsupported.
Tensor read_tensor_pb(const std::string& path, std::string* name);

// Little-endian raw_data. The file appears complete or not at all.
void write_tensor_pb(const std::string& path, const std::string& name, const Tensor& t);

}  // namespace edgeconv
