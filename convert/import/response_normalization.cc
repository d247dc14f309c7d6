// Normalizations of older convolutional networks: LRN by neighbouring channels, MeanVarianceNormalization by mean and deviation.
#include "convert/import/building_blocks.h"

namespace edgeconv {

constexpr int64_t kMostNeighbours = 64;  // each becomes a slice and an addition

// y = x / (bias + alpha / size * s)^beta, s the sum of the squares of `size` channels around each, those that there are.
void import_lrn(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const int64_t size = n.integer("size", 0);
  if (size < 1) throw NodeError("attribute 'size' holds " + std::to_string(size));
  if (size > kMostNeighbours)
    refuse("sums over " + std::to_string(size) + " channels", "up to " + std::to_string(kMostNeighbours) + " are read");
  const int64_t before = (size - 1) / 2;
  const ValueId padded = c.inner(n, OpKind::kPad, {mul(c, n, x, x), ints(c, n, {before, size - 1 - before}), kNone, ints(c, n, {1})},
                                 PadAttrs{});
  ValueId sum = kNone;
  for (int64_t i = 0; i < size; ++i) {
    const ValueId part = slice(c, n, padded, 1, i, i + 1 < size ? i - (size - 1) : INT64_MAX);
    sum = sum == kNone ? part : add(c, n, sum, part);
  }
  const ValueId scaled = mul(c, n, sum, scalar_like(c, n, x, n.number("alpha", 0.0001f) / static_cast<float>(size)));
  const ValueId base = add(c, n, scaled, scalar_like(c, n, x, n.number("bias", 1.0f)));
  const ValueId divisor = binary(c, n, BinaryKind::kPow, base, scalar_like(c, n, x, n.number("beta", 0.75f)));
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, x, divisor));
}

// (x - E x) / (sqrt(E x^2 - (E x)^2) + 1e-9), as the operator's own function says.
void import_mean_variance_normalization(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  // ONNX Runtime's, before opset 9.
  if (n.integer("across_channels", 0) != 0 || n.integer("normalize_variance", 1) == 0)
    refuse("across_channels or without the variance", "over axes 0, 2 and 3 it is read; export with opset 9 or higher");
  const std::vector<int64_t> axes = n.has("axes") ? n.integers("axes") : std::vector<int64_t>{0, 2, 3};
  const ReduceAttrs over{ReduceKind::kMean, axes, true, false};
  const ValueId centred = sub(c, n, x, c.inner(n, OpKind::kReduce, {x}, over));
  const ValueId variance = c.inner(n, OpKind::kReduce, {mul(c, n, centred, centred)}, over);
  const ValueId deviation = add(c, n, unary(c, n, UnaryKind::kSqrt, variance), scalar_like(c, n, x, 1e-9f));
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, centred, deviation));
}

}  // namespace edgeconv
