// Quantization and norms that are written with elementwise operators, one row each: which forms are, which stay as they are, and that both compute the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

struct WrittenOut {
  GraphBuilder b;
  ValueId x = b.input("x", {2, 3, 8}), rows = b.input("rows", {B, S, 8}), unknown = b.input("unknown", {B, S, 4}), step = b.input("step", {}),
          steps = b.input("steps", {8}), bytes = b.input("bytes", {2, 3, 8}, DType::kUint8), matrix = b.input("matrix", {8, 5}, DType::kUint8),
          vector = b.input("vector", {8}, DType::kUint8), zero = b.input("zero", {}, DType::kUint8), zeros = b.input("zeros", {3}, DType::kUint8),
          channels = b.input("channels", {6}), image = b.input("image", {B, 6, S}), pixels = b.input("pixels", {B, 2, 9}, DType::kUint8),
          kernels = b.input("kernels", {4, 2, 3}, DType::kUint8);

  ValueId of(DType t, const std::vector<int64_t>& dims, int64_t first = 0) {
    Tensor all(DType::kInt64, dims);
    for (size_t i = 0; i < all.mut<int64_t>().size(); ++i) all.mut<int64_t>()[i] = first + static_cast<int64_t>(i) % 7;
    return b.constant(all.cast(t));
  }
  ValueId floats(const std::vector<int64_t>& dims) {
    Tensor all(DType::kFloat, dims);
    for (size_t i = 0; i < all.mut<float>().size(); ++i) all.mut<float>()[i] = 0.02f + 0.003f * static_cast<float>(i);
    return b.constant(all);
  }
  ValueId quantize(ValueId v, ValueId scale, ValueId zero_point, DType t, int64_t axis = 1, int64_t block = 0) {
    return b.node(OpKind::kQuantizeLinear, {v, scale, zero_point}, QuantAttrs{axis, block, t});
  }
  ValueId dequantize(ValueId v, ValueId scale, ValueId zero_point, int64_t axis = 1, int64_t block = 0) {
    return b.node(OpKind::kDequantizeLinear, {v, scale, zero_point}, QuantAttrs{axis, block, DType::kUndefined});
  }
  ValueId product(ValueId l, ValueId r, ValueId l_zero = kNone, ValueId r_zero = kNone) { return b.node(OpKind::kMatMulInteger, {l, r, l_zero, r_zero}); }
  ValueId dynamic(size_t which) {
    const auto out = b.node_with_outputs(OpKind::kDynamicQuantizeLinear, {x}, 3);
    for (ValueId& o : b.g.producer(out[0])->outputs)
      if (o != out[which]) o = kNone;
    return out[which];
  }
  ValueId convolve(ValueId weights, ValueId weight_zero) {
    ConvAttrs a;
    a.kernel = {3};
    return b.node(OpKind::kConvInteger, {pixels, weights, kNone, weight_zero}, a);
  }
  ValueId layer_norm(ValueId v, ValueId scale, ValueId bias, int64_t axis, bool rms = false) {
    return b.node(OpKind::kLayerNormalization, {v, scale, bias}, NormAttrs{axis, 1e-5f, rms});
  }
  // With its mean, which something reads or nothing does.
  ValueId layer_norm_and_mean(bool read) {
    const auto out = b.node_with_outputs(OpKind::kLayerNormalization, {rows, floats({8}), kNone}, 2, NormAttrs{-1, 1e-5f, false});
    if (read) b.output(out[1]);
    return out[0];
  }
  ValueId batch_norm(ValueId v, ValueId mean, ValueId variance) {
    return b.node(OpKind::kBatchNormalization, {v, floats({6}), floats({6}), mean, variance}, BatchNormAttrs{1e-5f});
  }
  ValueId group_norm(ValueId scale, ValueId bias, int64_t groups = 3) {
    return b.node(OpKind::kGroupNormalization, {image, scale, bias}, GroupNormAttrs{groups, 1e-5f});
  }
};

struct WrittenCase {
  const char* name;
  PassFunction pass;
  int rewritten;
  ValueId (*make)(WrittenOut&);
};

constexpr PassFunction kQuantization = pass_decompose_quantization, kNorms = pass_decompose_norms, kFusedNorms = pass_fuse_layer_norm;

const WrittenCase kWritten[] = {
    {"to uint8", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.b.scalar(0.02f), w.of(DType::kUint8, {}, 128), DType::kUint8); }},
    {"to int8", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.b.scalar(0.02f), w.of(DType::kInt8, {}, -3), DType::kInt8); }},
    {"to uint16", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.b.scalar(0.0001f), w.of(DType::kUint16, {}, 30000), DType::kUint16); }},
    {"to int16", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.b.scalar(0.0001f), w.of(DType::kInt16, {}, -3), DType::kInt16); }},
    {"without a zero point", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.b.scalar(0.02f), kNone, DType::kUint8); }},
    {"by one number as a list", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.floats({1}), kNone, DType::kUint8); }},
    {"by a step of each column", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.floats({8}), w.of(DType::kUint8, {8}, 100), DType::kUint8, 2); }},
    {"by a step of each column, from the end", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.floats({8}), kNone, DType::kUint8, -1); }},
    {"by a step of the caller", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.step, kNone, DType::kUint8); }},
    {"by steps of the caller", kQuantization, 0, [](WrittenOut& w) { return w.quantize(w.x, w.steps, kNone, DType::kUint8, 2); }},
    {"by a step of each four", kQuantization, 1, [](WrittenOut& w) { return w.quantize(w.x, w.floats({2, 3, 2}), kNone, DType::kUint8, 2, 4); }},
    {"by a step of each three, the last of two", kQuantization, 1,
     [](WrittenOut& w) { return w.quantize(w.x, w.floats({2, 3, 3}), w.of(DType::kUint8, {2, 3, 3}, 90), DType::kUint8, -1, 3); }},
    {"back, without a zero point", kQuantization, 1, [](WrittenOut& w) { return w.dequantize(w.bytes, w.b.scalar(0.02f), kNone); }},
    {"back, by a zero point of the caller", kQuantization, 1, [](WrittenOut& w) { return w.dequantize(w.bytes, w.b.scalar(0.02f), w.zero); }},
    {"back, by a step of each column", kQuantization, 1, [](WrittenOut& w) { return w.dequantize(w.bytes, w.floats({8}), w.of(DType::kUint8, {8}), 2); }},
    {"back, by steps of the caller", kQuantization, 0, [](WrittenOut& w) { return w.dequantize(w.bytes, w.steps, kNone, 2); }},
    {"back, by a step of each four", kQuantization, 1, [](WrittenOut& w) { return w.dequantize(w.bytes, w.floats({2, 3, 2}), kNone, 2, 4); }},
    {"a constant back, which is folded", kQuantization, 0,
     [](WrittenOut& w) { return w.b.add(w.x, w.dequantize(w.of(DType::kUint8, {8}), w.step, kNone)); }},
    {"dynamically, the bytes", kQuantization, 1, [](WrittenOut& w) { return w.dynamic(0); }},
    {"dynamically, the scale", kQuantization, 1, [](WrittenOut& w) { return w.dynamic(1); }},
    {"dynamically, the zero point", kQuantization, 1, [](WrittenOut& w) { return w.dynamic(2); }},
    {"a product", kQuantization, 1, [](WrittenOut& w) { return w.product(w.bytes, w.matrix, w.zero, w.zero); }},
    {"a product with a zero point of each row", kQuantization, 1, [](WrittenOut& w) { return w.product(w.bytes, w.matrix, w.of(DType::kUint8, {3}, 2)); }},
    {"a product with zero points of the caller", kQuantization, 0, [](WrittenOut& w) { return w.product(w.bytes, w.matrix, w.zeros); }},
    {"a product of vectors", kQuantization, 1, [](WrittenOut& w) { return w.product(w.vector, w.vector); }},
    {"a product of sums that floats do not hold", kQuantization, 0,
     [](WrittenOut& w) { return w.product(w.b.input("long", {2, 300}, DType::kUint8), w.of(DType::kUint8, {300, 2})); }},
    {"a product of unknown length", kQuantization, 0,
     [](WrittenOut& w) { return w.product(w.b.input("left", {2, S}, DType::kUint8), w.b.input("right", {S, 2}, DType::kUint8)); }},
    {"a convolution", kQuantization, 1, [](WrittenOut& w) { return w.convolve(w.of(DType::kUint8, {4, 2, 3}), w.of(DType::kUint8, {4})); }},
    {"a convolution by weights of the caller", kQuantization, 0, [](WrittenOut& w) { return w.convolve(w.kernels, kNone); }},
    {"a convolution with zero points of the caller", kQuantization, 0,
     [](WrittenOut& w) { return w.convolve(w.of(DType::kUint8, {4, 2, 3}), w.b.input("four", {4}, DType::kUint8)); }},
    {"a convolution of sums that floats do not hold", kQuantization, 0,
     [](WrittenOut& w) {
       ConvAttrs a;
       a.kernel = {3};
       return w.b.node(OpKind::kConvInteger, {w.b.input("deep", {B, 90, 9}, DType::kUint8), w.of(DType::kUint8, {4, 90, 3})}, a);
     }},
    // Norms.
    {"statistics of the caller", kNorms, 1, [](WrittenOut& w) { return w.batch_norm(w.image, w.channels, w.floats({6})); }},
    {"statistics of the file, which are folded", kNorms, 0, [](WrittenOut& w) { return w.batch_norm(w.image, w.floats({6}), w.floats({6})); }},
    {"groups", kNorms, 1, [](WrittenOut& w) { return w.group_norm(w.floats({6}), w.floats({6})); }},
    {"groups, a scale of each", kNorms, 1, [](WrittenOut& w) { return w.group_norm(w.floats({3}), w.floats({3})); }},
    {"groups, a scale of the caller", kNorms, 1, [](WrittenOut& w) { return w.group_norm(w.channels, w.floats({6})); }},
    {"columns, as the runtime does", kNorms, 0, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({8}), w.floats({8}), -1); }},
    {"columns, one scale for all", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({1}), kNone, -1); }},
    {"columns, a bias of the caller", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({8}), w.steps, -1); }},
    {"columns, without a scale", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, kNone, kNone, -1); }},
    {"columns, without their mean, of the caller's scale", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, w.steps, kNone, -1, true); }},
    {"two axes of known size", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.x, w.floats({3, 8}), w.floats({3, 8}), 1); }},
    {"two axes of known size, no bias", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.x, w.floats({3, 8}), kNone, 1); }},
    {"two axes of known size, a scale of one", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.x, w.floats({8}), kNone, 1); }},
    {"two axes, one of unknown size", kNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({8}), w.floats({8}), 1); }},
    {"the mean is read", kNorms, 0, [](WrittenOut& w) { return w.layer_norm_and_mean(true); }},
    {"the mean is not read", kFusedNorms, 1, [](WrittenOut& w) { return w.layer_norm_and_mean(false); }},
    {"fused: columns", kFusedNorms, 1, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({8}), w.floats({8}), 2); }},
    {"not fused: the mean is read", kFusedNorms, 0, [](WrittenOut& w) { return w.layer_norm_and_mean(true); }},
    {"not fused: two axes", kFusedNorms, 0, [](WrittenOut& w) { return w.layer_norm(w.x, w.floats({3, 8}), kNone, 1); }},
    {"not fused: without a scale", kFusedNorms, 0, [](WrittenOut& w) { return w.layer_norm(w.rows, kNone, kNone, -1); }},
    {"not fused: a scale of the caller", kFusedNorms, 0, [](WrittenOut& w) { return w.layer_norm(w.rows, w.steps, kNone, -1); }},
    {"not fused: a bias of the caller", kFusedNorms, 0, [](WrittenOut& w) { return w.layer_norm(w.rows, w.floats({8}), w.steps, -1); }},
};

TEST(WrittenOut, ComputesTheSame) {
  for (const WrittenCase& c : kWritten) {
    SCOPED_TRACE(c.name);
    WrittenOut w;
    w.b.output(c.make(w));
    finish(w.b.g);
    if (::testing::Test::HasFatalFailure()) return;
    std::vector<Tensor> inputs = random_inputs(w.b.g);
    for (Tensor& t : inputs)  // steps and statistics are positive
      if (t.dtype() == DType::kFloat && t.rank() <= 1)
        for (float& v : t.mut<float>()) v = 0.1f + std::fabs(v);
    const std::vector<float> before = interpret(w.b.g, inputs).back().to_float();
    Diagnostics d;
    EXPECT_EQ(c.pass(w.b.g, d), c.rewritten);
    w.b.g.remove_dead();
    finish(w.b.g);
    const std::vector<float> after = interpret(w.b.g, inputs).back().to_float();
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(before[i], after[i], 1e-4f * std::fmax(1.0f, std::fabs(before[i]))) << i;
  }
}

}  // namespace

}  // namespace edgeconv::testing
