// A multiply or add of a constant vector after a Linear folds into its weights and bias (BatchNorm, output scaling).
#include <algorithm>

#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

// A positive factor per column of a quantized weight only changes its scales.
std::shared_ptr<const QuantizedConstant> scaled_codes(const QuantizedConstant* q, const std::vector<float>& factor) {
  if (!q) return nullptr;
  auto scaled = std::make_shared<QuantizedConstant>(*q);
  scaled->scale = column_scales(*q);
  scaled->axis = 1;
  for (size_t c = 0; c < scaled->scale.size(); ++c) scaled->scale[c] *= factor[factor.size() == 1 ? 0 : c];
  const bool positive = std::all_of(scaled->scale.begin(), scaled->scale.end(), [](float s) { return s > 0; });
  return positive && !scaled->scale.empty() ? scaled : nullptr;
}

// The rows of w, each times c; c has one element or one per column.
Tensor scaled_columns(const Tensor& w, const std::vector<float>& c) {
  const size_t columns = static_cast<size_t>(w.dims()[1]);
  Tensor scaled(DType::kFloat, w.dims());
  const auto src = w.as<float>();
  const auto dst = scaled.mut<float>();
  for (size_t i = 0; i < src.size(); ++i) dst[i] = src[i] * c[c.size() == 1 ? 0 : i % columns];
  return scaled;
}

std::optional<FusedLinear> fold(Graph& g, const Node& n, const Node& affine, const Users& users) {
  const auto kind = affine.as<BinaryAttrs>().kind;
  if (kind != params::binary::kMul && kind != params::binary::kAdd) return {};
  const ValueId other = other_operand(affine, n.outputs[0]);
  if (other == kNone || !g.value(other).constant || !is_float(g.value(other).dtype) ||
      g.value(affine.outputs[0]).shape != g.value(n.outputs[0]).shape)
    return {};
  const std::vector<float> c = g.value(other).constant->to_float();
  const size_t columns = static_cast<size_t>(g.value(n.in(1)).constant->dims()[1]);
  if (c.size() != 1 && (c.size() != columns || g.value(other).constant->dims().back() != static_cast<int64_t>(columns)))
    return {};
  // A shared weight would be stored twice; a factor on a short output is cheaper left alone.
  if (use_count(users, n.in(1)) > 1) return {};
  std::vector<float> bias = n.in(2) == kNone ? std::vector<float>(columns, 0.0f) : g.value(n.in(2)).constant->to_float();
  ValueId w = n.in(1);
  const auto at = [&](size_t column) { return c.size() == 1 ? c[0] : c[column]; };
  if (kind == params::binary::kMul) {
    const Tensor scaled = scaled_columns(g.value(w).constant->cast(DType::kFloat).aligned(), c);
    for (size_t column = 0; column < columns; ++column) bias[column] *= at(column);
    const auto codes = scaled_codes(g.value(w).quantized.get(), c);
    w = g.add_constant(n.origin.node + "/scaled", scaled);
    g.value(w).quantized = codes;
  } else {
    for (size_t column = 0; column < columns; ++column) bias[column] += at(column);
  }
  const ValueId b =
      g.add_constant(n.origin.node + "/bias", Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(columns)}, bias));
  return FusedLinear{{n.in(0), w, b}, {}};
}

}  // namespace

int pass_fold_affine(Graph& g, Diagnostics&) {
  return fuse_reader_of_linear(g, OpKind::kBinary,
                               [&](const Node& n, const Node& affine, const Users& users) { return fold(g, n, affine, users); });
}

}  // namespace edgeconv
