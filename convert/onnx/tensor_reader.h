// TensorProto -> Tensor, in all of its payload forms, with external data files opened below the model's folder only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/onnx/external_data.h"

namespace edgeconv {

namespace pb {
class TensorProto;
}

// The dtype for a TensorProto.DataType; throws NodeUnsupported with the list of accepted types.
DType supported_dtype(int32_t data_type, const std::string& what);

class TensorReader {
 public:
  explicit TensorReader(const std::string& model_path) : external_(model_path) {}
  // Throws NodeError or NodeUnsupported, naming the tensor. Inline data is copied (aligned), external data is a view.
  Tensor read(const pb::TensorProto& t);
  const ExternalData& external() const { return external_; }

 private:
  ExternalData external_;
};

}  // namespace edgeconv
