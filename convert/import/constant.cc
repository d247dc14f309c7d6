// Constant in all of its attribute forms.
#include "convert/import/building_blocks.h"
#include "convert/onnx/onnx.pb.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

void import_constant(ImportContext& c, const OnnxNode& n) {
  int values = 0;
  for (const char* name :
       {"value", "value_int", "value_ints", "value_float", "value_floats", "value_string", "value_strings", "sparse_value"})
    values += n.has(name);
  if (values > 1) throw NodeError("it has more than one value");
  Tensor t;
  if (n.has("value")) {
    t = c.tensor_attribute(n, "value");
  } else if (n.has("value_int")) {
    t = Tensor::scalar(n.integer("value_int"));
  } else if (n.has("value_ints")) {
    t = Tensor::ints(n.integers("value_ints"));
  } else if (n.has("value_float")) {
    t = Tensor::scalar(n.number("value_float", 0));
  } else if (n.has("value_floats")) {
    const std::vector<float> v = n.numbers("value_floats");
    t = Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v);
  } else if (n.has("sparse_value")) {
    refuse("sparse constants are not supported", "store the tensor densely when you export the model");
  } else if (n.has("value_string") || n.has("value_strings")) {
    refuse("strings are not supported", "tokenize outside the model");
  } else {
    throw NodeError("it has no value");
  }
  const ValueId v = c.constant(n, std::move(t));
  if (n.has("value")) c.graph().value(v).bits = packed_bits(n.find("value")->t().data_type());
  c.bind(n, 0, v);
}

}  // namespace edgeconv
