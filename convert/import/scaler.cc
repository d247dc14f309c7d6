// Scaler of ai.onnx.ml: (x - offset) * scale, as scikit-learn's StandardScaler stands before an MLP.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_scaler(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  const auto row = [&](const char* name, float otherwise) {
    std::vector<float> v = n.numbers(name);
    if (v.empty()) v = {otherwise};
    const auto size = static_cast<int64_t>(v.size());
    return c.constant(n, Tensor::of<float>(DType::kFloat, {size}, v));
  };
  const ValueId x = cast(c, n, required_input(c, n, 0), DType::kFloat);
  c.bind(n, 0, mul(c, n, sub(c, n, x, row("offset", 0)), row("scale", 1)));
}

}  // namespace edgeconv
