// Inference of Resize: sizes from its sizes, or from sizes and scales rounded down.
#include <cmath>

#include "convert/infer/dispatch.h"

namespace edgeconv {
namespace {

// floor(size * scale): symbolic where the scale or its inverse is a whole number.
std::optional<DimExpr> scaled(const DimExpr& size, float scale) {
  if (const auto n = size.constant()) return DimExpr(static_cast<int64_t>(std::floor(static_cast<float>(*n) * scale)));
  if (scale >= 1 && scale == std::floor(scale) && scale < 65536) return size * DimExpr(static_cast<int64_t>(scale));
  const float inverse = 1 / scale;
  if (inverse == std::floor(inverse) && inverse < 65536) return size.floor_div(DimExpr(static_cast<int64_t>(inverse)));
  return std::nullopt;
}

}  // namespace

void infer_resize(NodeInference& c) {
  std::vector<int64_t> axes = c.node().as<ResizeAttrs>().axes;
  Shape out = c.shape(0);
  if (axes.empty())
    for (size_t i = 0; i < out.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const size_t from = c.has(2) ? 2 : 1;
  const auto sizes = from == 2 ? c.elements(2) : std::nullopt;
  const bool known = sizes || (from == 1 && c.has(1) && c.in(1).constant);
  if (!known) return c.data_dependent(from);
  const std::vector<float> scales = from == 1 ? c.in(1).constant->to_float() : std::vector<float>();
  if ((from == 2 ? sizes->size() : scales.size()) != axes.size()) return c.invalid("scales or sizes do not fit the axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = c.axis(axes[i], static_cast<int64_t>(out.size()));
    if (!axis) return;
    DimExpr& size = out[static_cast<size_t>(*axis)];
    if (from == 1 && !(scales[i] > 0)) return c.invalid("a scale is not positive");
    const auto resized = from == 2 ? std::optional((*sizes)[i]) : scaled(size, scales[i]);
    if (!resized) return c.problem("a dynamic size times " + std::to_string(scales[i]), "resize by a whole factor, or to a size");
    if (resized->constant() && *resized->constant() < 1) return c.invalid("the result has no elements");
    c.needs_positive(*resized);
    size = *resized;
  }
  c.set(0, c.dtype(0), std::move(out));
}

}  // namespace edgeconv
