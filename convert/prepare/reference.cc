// Told by the types of the file's weights and by the passes that freed it from quantization.
#include "convert/prepare/reference.h"

#include <algorithm>

namespace edgeconv {

std::string reference_name(const PreparedModel& m) {
  const auto elements = [&](DType t) {
    const auto it = m.info.parameters.find(t);
    return it == m.info.parameters.end() ? int64_t{0} : it->second;
  };
  if (std::any_of(m.fusions.begin(), m.fusions.end(), [](const auto& pass) { return pass.second > 0; }))
    return "the quantized model with its weights dequantized, in fp32, activations not rounded";
  for (const DType half : {DType::kFloat16, DType::kBfloat16})
    if (elements(half) > elements(DType::kFloat))
      return "the " + std::string(half == DType::kFloat16 ? "fp16" : "bfloat16") +
             " model, every operator computed in fp32 and its result rounded to " +
             (half == DType::kFloat16 ? "fp16" : "bfloat16");
  return "the fp32 model";
}

}  // namespace edgeconv
