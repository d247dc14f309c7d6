// A model as the quantizers of ONNX Runtime write it, and what the passes for quantized files make of it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

class QuantizedModels : public ::testing::Test {
 protected:
  QuantizedModels() : x(b.input("x", {B, S, 8})) {}

  ValueId bytes(DType t, const std::vector<int64_t>& dims, const std::vector<int>& v) {
    Tensor all(DType::kInt64, dims);
    for (size_t i = 0; i < v.size(); ++i) all.mut<int64_t>()[i] = v[i];
    return b.constant(all.cast(t));
  }
  // k * n integers between -100 and 100, moved by `offset`.
  static std::vector<int> pattern(int64_t k, int64_t n, int offset = 0) {
    std::vector<int> v;
    for (int64_t i = 0; i < k * n; ++i) v.push_back(static_cast<int>(i * 37 % 201) - 100 + offset);
    return v;
  }
  ValueId quantize(ValueId v, float scale, DType t, int zero) {
    return b.node(OpKind::kQuantizeLinear, {v, b.scalar(scale), bytes(t, {}, {zero})}, QuantAttrs{1, 0, t});
  }
  ValueId dequantize(ValueId v, float scale, DType t, int zero) {
    return b.node(OpKind::kDequantizeLinear, {v, b.scalar(scale), bytes(t, {}, {zero})}, QuantAttrs{});
  }
  // DynamicQuantizeLinear of both, or of the left one; Cast and multiplication by the scales.
  ValueId dynamic_product(ValueId lhs, ValueId weight, ValueId weight_zero, ValueId weight_scale) {
    const auto q = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {lhs}, 3);
    const ValueId product = b.node(OpKind::kMatMulInteger, {q[0], weight, q[2], weight_zero});
    return b.mul(b.node(OpKind::kCast, {product}, CastAttrs{DType::kFloat}), b.mul(q[1], weight_scale));
  }
  std::vector<std::string> import() {
    finish(b.g);
    Diagnostics d;
    run_quantized_import(b.g, d);
    EXPECT_TRUE(d.ok());
    run_passes(b.g, d);
    EXPECT_TRUE(d.ok());
    return d.warnings();
  }
  int quantized_nodes() const {
    return count(b.g, OpKind::kDynamicQuantizeLinear) + count(b.g, OpKind::kQuantizeLinear) +
           count(b.g, OpKind::kDequantizeLinear) + count(b.g, OpKind::kMatMulInteger) + count(b.g, OpKind::kConvInteger);
  }
  // Largest difference between this graph's output and that of `other`, for the same inputs.
  float distance(GraphBuilder& other) const {
    finish(other.g);
    const auto inputs = random_inputs(b.g);
    const std::vector<float> got = interpret(b.g, inputs)[0].to_float(), want = interpret(other.g, inputs)[0].to_float();
    EXPECT_EQ(got.size(), want.size());
    float worst = 0;
    for (size_t i = 0; i < got.size(); ++i) worst = std::fmax(worst, std::fabs(got[i] - want[i]));
    return worst;
  }

  GraphBuilder b;
  ValueId x;
};

}  // namespace edgeconv::testing
