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

// 2 or 4 for a TensorProto.DataType whose numbers share a byte, else 0.
int packed_bits(int32_t data_type);
// What tensors of such a type are read as: int8 or uint8.
DType unpacked_dtype(int32_t data_type);

// The file that tensors with a payload position were parsed from; without an owner they are copied out of it.
struct ModelBytes {
  const uint8_t* data = nullptr;
  size_t bytes = 0;
  std::shared_ptr<const void> owner;
};

class TensorReader {
 public:
  explicit TensorReader(const std::string& model_path, ModelBytes model = {}) : external_(model_path), model_(std::move(model)) {}
  // Throws NodeError or NodeUnsupported, naming the tensor. Small inline data is copied (aligned), large and external data are
  // views.
  Tensor read(const pb::TensorProto& t);
  const ExternalData& external() const { return external_; }

 private:
  ExternalData external_;
  ModelBytes model_;
};

}  // namespace edgeconv
