// Inference of quantize and dequantize nodes.
#include <algorithm>

#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

bool one_element(const Shape& s) {
  return std::all_of(s.begin(), s.end(), [](const DimExpr& d) { return d == DimExpr(1); });
}

// One scale for all elements, or one for each channel of the axis; those of blocks are judged where they are computed.
bool scales_fit(NodeInference& c) {
  const auto* attrs = std::get_if<QuantAttrs>(&c.node().attrs);
  const QuantAttrs a = attrs ? *attrs : QuantAttrs{};
  for (size_t i = 1; i < 3; ++i) {
    if (!c.has(i) || (a.block == 0 && one_element(c.shape(i)))) continue;
    const auto axis = c.axis(a.axis, c.rank(0));
    if (!axis) return false;
    if (a.block > 0 || c.rank(i) != 1) continue;
    const DimExpr &have = c.shape(i)[0], &need = c.shape(0)[static_cast<size_t>(*axis)];
    if (!have.is_constant() || !need.is_constant() || have == need) continue;
    c.invalid(std::string(i == 1 ? "the scale" : "the zero point") + " has " + have.str() + " elements, axis " +
              std::to_string(*axis) + " of its input has " + need.str());
    return false;
  }
  const auto scales = shape_elements(c.shape(1)).constant(), zeros = c.has(2) ? shape_elements(c.shape(2)).constant() : scales;
  if (!scales || !zeros || *scales == *zeros) return true;
  c.invalid("it has " + std::to_string(*scales) + " scales and " + std::to_string(*zeros) + " zero points");
  return false;
}

}  // namespace

void infer_dynamic_quantize_linear(NodeInference& c) {
  c.set(0, DType::kUint8, c.shape(0));
  c.set(1, DType::kFloat, {});
  c.set(2, DType::kUint8, {});
}

void infer_quantize_linear(NodeInference& c) {
  if (!scales_fit(c)) return;
  const auto* a = std::get_if<QuantAttrs>(&c.node().attrs);
  DType t = a && a->to != DType::kUndefined ? a->to : DType::kUint8;
  if (c.has(2)) t = c.dtype(2);
  c.set(0, t, c.shape(0));
}

void infer_dequantize_linear(NodeInference& c) {
  if (scales_fit(c)) c.set(0, c.dtype(1), c.shape(0));
}

}  // namespace edgeconv
