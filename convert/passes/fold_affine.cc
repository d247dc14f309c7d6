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

}  // namespace

int pass_fold_affine(Graph& g, Diagnostics&) {
  int folded = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kLinear || g.nodes[i].as<LinearAttrs>().activation >= 0) continue;
    const Node n = g.nodes[i];
    const Node* next = sole_user(g, users, n.outputs[0]);
    if (!next || next->kind != OpKind::kBinary) continue;
    const auto kind = next->as<BinaryAttrs>().kind;
    if (kind != params::binary::kMul && kind != params::binary::kAdd) continue;
    const ValueId other = other_operand(*next, n.outputs[0]), out = next->outputs[0];
    if (other == kNone || !g.value(other).constant || !is_float(g.value(other).dtype) ||
        g.value(out).shape != g.value(n.outputs[0]).shape)
      continue;
    const std::vector<float> c = g.value(other).constant->to_float();
    const Tensor weight = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
    const size_t k = static_cast<size_t>(weight.dims()[0]), columns = static_cast<size_t>(weight.dims()[1]);
    if (c.size() != 1 && (c.size() != columns || g.value(other).constant->dims().back() != static_cast<int64_t>(columns)))
      continue;
    // A shared weight would be stored twice; a factor on a short output is cheaper left alone.
    if (users[static_cast<size_t>(n.in(1))].size() > 1) continue;
    std::vector<float> bias = n.in(2) == kNone ? std::vector<float>(columns, 0.0f) : g.value(n.in(2)).constant->to_float();
    ValueId w = n.in(1);
    const auto at = [&](size_t column) { return c.size() == 1 ? c[0] : c[column]; };
    if (kind == params::binary::kMul) {
      Tensor scaled(DType::kFloat, weight.dims());
      const auto src = weight.as<float>();
      const auto dst = scaled.mut<float>();
      for (size_t r = 0; r < k; ++r)
        for (size_t column = 0; column < columns; ++column) dst[r * columns + column] = src[r * columns + column] * at(column);
      for (size_t column = 0; column < columns; ++column) bias[column] *= at(column);
      const auto codes = scaled_codes(g.value(n.in(1)).quantized.get(), c);
      w = g.add_constant(n.origin.node + "/scaled", scaled);
      g.value(w).quantized = codes;
    } else {
      for (size_t column = 0; column < columns; ++column) bias[column] += at(column);
    }
    const ValueId b =
        g.add_constant(n.origin.node + "/bias", Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(columns)}, bias));
    g.nodes[i].dead = true;
    redefine(g, out, OpKind::kLinear, {n.in(0), w, b}, LinearAttrs{}, n.origin);
    ++folded;
  }
  return folded;
}

}  // namespace edgeconv
