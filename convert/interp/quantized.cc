// Quantize and dequantize, as ONNX defines them: rounding half to even, saturation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/ir/quantized_constant.h"

namespace edgeconv {
namespace {

// Index into scale and zero point for each element: one for all, one per channel of the axis, or one per block along it.
class ScaleIndex {
 public:
  ScaleIndex(const NodeInputs& c, const Tensor& x, const Tensor& scale) {
    const auto* p = std::get_if<QuantAttrs>(&c.node.attrs);
    const QuantAttrs a = p ? *p : QuantAttrs{};
    if (scale.elements() == 1 && a.block == 0) return;
    const size_t axis = static_cast<size_t>(c.axis(a.axis, x.rank()));
    inner_ = product(x.dims(), axis + 1);
    size_ = x.dims()[axis];
    if (a.block > 0) {
      block_ = a.block;
      blocks_ = (size_ + block_ - 1) / block_;
      whole_ = true;
      if (scale.elements() != product(x.dims(), 0, axis) * blocks_ * inner_) c.fail("scales do not fit the blocks");
    } else if (scale.elements() != size_) {
      c.fail("the scale needs one value, or one per channel of axis " + std::to_string(axis));
    }
  }
  size_t operator()(int64_t i) const {
    if (size_ == 0) return 0;
    const int64_t along = i / inner_ % size_;
    if (!whole_) return static_cast<size_t>(along);
    return static_cast<size_t>((i / (inner_ * size_) * blocks_ + along / block_) * inner_ + i % inner_);
  }

 private:
  int64_t inner_ = 1, size_ = 0, block_ = 1, blocks_ = 1;
  bool whole_ = false;
};

}  // namespace

Results eval_dynamic_quantize_linear(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat);
  float low = 0, high = 0;
  for (float v : x.as<float>()) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const float scale = (high - low) / 255.0f;
  const float zero = scale == 0 ? 0.0f : std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
  Tensor y(DType::kUint8, x.dims());
  auto d = y.mut<uint8_t>();
  for (size_t i = 0; i < d.size(); ++i) {
    d[i] = static_cast<uint8_t>(scale == 0 ? zero : std::clamp(std::nearbyint(x.as<float>()[i] / scale) + zero, 0.0f, 255.0f));
  }
  return {y, Tensor::scalar(scale), Tensor::of<uint8_t>(DType::kUint8, {}, {static_cast<uint8_t>(zero)})};
}

Results eval_quantize_linear(const NodeInputs& c) {
  const auto* a = std::get_if<QuantAttrs>(&c.node.attrs);
  DType t = a && a->to != DType::kUndefined ? a->to : DType::kUint8;
  if (c.has(2)) t = c.in(2).dtype();
  const auto r = code_range(t, a ? a->bits : 0);
  if (!r) c.fail("quantization to " + std::string(dtype_name(t)) + " is not supported");
  const Tensor x = c.in(0).cast(DType::kFloat), scale = c.in(1).cast(DType::kFloat);
  const ScaleIndex index(c, x, scale);
  const std::vector<int64_t> zero =
      c.has(2) ? c.in(2).to_int64() : std::vector<int64_t>(static_cast<size_t>(scale.elements()), 0);
  if (static_cast<int64_t>(zero.size()) != scale.elements()) c.fail("scale and zero point differ in size");
  if (scale.elements() == 1 && dtype_size(t) == 1 && (a == nullptr || a->block == 0)) {
    Tensor y(t, x.dims());
    const auto from = x.as<float>();
    const float s = scale.as<float>()[0], z = static_cast<float>(zero[0]);
    uint8_t* to = y.mutable_data();
    for (size_t i = 0; i < from.size(); ++i) {
      const float v = std::nearbyint(from[i] / s) + z;
      to[i] = static_cast<uint8_t>(std::isnan(v) ? 0 : static_cast<int>(std::clamp(v, r->low, r->high)));
    }
    return {y};
  }
  std::vector<int64_t> q(static_cast<size_t>(x.elements()));
  const auto values = x.as<float>(), scales = scale.as<float>();
  for (size_t i = 0; i < q.size(); ++i) {
    const size_t k = index(static_cast<int64_t>(i));
    const float v = std::nearbyint(values[i] / scales[k]) + static_cast<float>(zero[k]);
    q[i] = std::isnan(v) ? 0 : static_cast<int64_t>(std::clamp(v, r->low, r->high));
  }
  return {from_int64(t, x.dims(), q)};
}

Results eval_dequantize_linear(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const Tensor scale = c.in(1).cast(DType::kFloat);
  const ScaleIndex index(c, x, scale);
  const std::vector<int64_t> q = x.to_int64(), zero = c.has(2) ? c.in(2).to_int64()
                                                               : std::vector<int64_t>(static_cast<size_t>(scale.elements()), 0);
  if (static_cast<int64_t>(zero.size()) != scale.elements()) c.fail("scale and zero point differ in size");
  Tensor y(DType::kFloat, x.dims());
  auto d = y.mut<float>();
  constexpr float kMost = std::numeric_limits<float>::max();
  // The code of a number near the end of the range, as masks add, may come back beyond it. It was finite, and 0 times infinity is not a number.
  const auto scales = scale.as<float>();
  const auto number = [&](int64_t code, size_t k) { return std::clamp(static_cast<float>(code - zero[k]) * scales[k], -kMost, kMost); };
  for (size_t i = 0; i < q.size(); ++i) d[i] = number(q[i], index(static_cast<int64_t>(i)));
  return {y};
}

}  // namespace edgeconv
