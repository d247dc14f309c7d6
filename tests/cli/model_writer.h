// Small ONNX files made on the spot, through the converter's own protobuf classes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "convert/onnx/onnx.pb.h"

namespace edgeconv::testing {

// Element types by their number in ONNX (TensorProto.DataType).
constexpr int32_t kOnnxFloat = 1, kOnnxUint8 = 2, kOnnxInt8 = 3, kOnnxInt32 = 6, kOnnxInt64 = 7, kOnnxString = 8, kOnnxBool = 9,
                  kOnnxFloat16 = 10, kOnnxDouble = 11;

using OnnxDim = std::variant<int64_t, const char*>;

class ModelWriter {
 public:
  explicit ModelWriter(int64_t opset = 17);
  void input(const std::string& name, int32_t type, const std::vector<OnnxDim>& dims);
  void output(const std::string& name, int32_t type, const std::vector<OnnxDim>& dims);
  // A float constant with values drawn from a fixed sequence, about uniform in [-0.5, 0.5).
  void weights(const std::string& name, const std::vector<int64_t>& dims);
  pb::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                      const std::string& domain = "");
  // y = x [batch, sequence, width], zero where the integer mask [batch, sequence] is 0.
  void masked(const std::string& x, const std::string& mask, const std::string& y);
  void opset(const std::string& domain, int64_t version);
  pb::ModelProto& proto() { return model_; }
  std::string bytes() const;

 private:
  pb::ModelProto model_;
  uint32_t random_ = 1;
};

void int_attribute(pb::NodeProto& n, const std::string& name, int64_t v);
void ints_attribute(pb::NodeProto& n, const std::string& name, const std::vector<int64_t>& values);

// A float initializer of these sizes, to be given its values.
pb::TensorProto& float_constant(ModelWriter& w, const std::string& name, const std::vector<int64_t>& dims);

// x [batch, 16] -> Linear, ReLU, Linear -> y [batch, 4]. Converts with default options.
std::string small_model();
// The same with a NonZero (its size depends on data) and an operator of an unknown domain in front of the outputs.
std::string model_with_two_problems();

// A TensorProto file, as in ONNX test data.
std::string float_tensor_file(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values);

}  // namespace edgeconv::testing
