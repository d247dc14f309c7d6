// Inference of quantize and dequantize nodes.
#include "convert/infer/dispatch.h"

namespace edgeconv {

void infer_dynamic_quantize_linear(NodeInference& c) {
  c.set(0, DType::kUint8, c.shape(0));
  c.set(1, DType::kFloat, {});
  c.set(2, DType::kUint8, {});
}

void infer_quantize_linear(NodeInference& c) {
  const auto* a = std::get_if<QuantAttrs>(&c.node().attrs);
  DType t = a && a->to != DType::kUndefined ? a->to : DType::kUint8;
  if (c.has(2)) t = c.dtype(2);
  c.set(0, t, c.shape(0));
}

void infer_dequantize_linear(NodeInference& c) { c.set(0, c.dtype(1), c.shape(0)); }

}  // namespace edgeconv
