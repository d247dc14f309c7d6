// A pair of QuantizeLinear and DequantizeLinear whose lower end is zero: where what it quantizes may be negative, saturation was a Relu, which stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr float kStep = 0.5f;

struct Quantized {
  GraphBuilder b;
  ValueId x = b.input("x", {B, S, 4}), flags = b.input("flags", {B, S, 4}, DType::kBool), counts = b.input("counts", {B, S, 4}, DType::kInt64);

  ValueId op(binary::Kind kind, ValueId l, ValueId r) { return b.node(OpKind::kBinary, {l, r}, BinaryAttrs{kind}); }
  ValueId reduce(reduce::Kind kind, ValueId v) { return b.node(OpKind::kReduce, {v}, ReduceAttrs{kind, {-1}, true, false}); }
  ValueId where(ValueId l, ValueId r) { return b.node(OpKind::kWhere, {flags, l, r}); }
  ValueId cast(ValueId v) { return b.node(OpKind::kCast, {v}, CastAttrs{DType::kFloat}); }
  ValueId abs(ValueId v) { return b.unary(unary::kAbs, v); }
  ValueId of_type(DType t, int64_t v) { return b.constant(Tensor::scalar(v).cast(t)); }
  ValueId pair(ValueId v, DType t, int64_t zero) {
    const ValueId scale = b.scalar(kStep), point = of_type(t, zero);
    return b.node(OpKind::kDequantizeLinear, {b.node(OpKind::kQuantizeLinear, {v, scale, point}, QuantAttrs{1, 0, t}), scale, point}, QuantAttrs{});
  }
  // Relus that the whole import leaves of the pair; results are those of the pair but for what rounding lost.
  int relus(ValueId result) {
    b.output(result);
    finish(b.g);
    const std::vector<Tensor> inputs = random_inputs(b.g);
    const std::vector<float> before = interpret(b.g, inputs)[0].to_float();
    const int had = relu_nodes();
    Diagnostics d;
    run_quantized_import(b.g, d);
    EXPECT_TRUE(d.ok());
    EXPECT_EQ(count(b.g, OpKind::kQuantizeLinear) + count(b.g, OpKind::kDequantizeLinear), 0) << b.g.dump();
    const std::vector<float> after = interpret(b.g, inputs)[0].to_float();
    EXPECT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], kStep / 2 + 1e-4f) << i;
    return relu_nodes() - had;
  }

 private:
  int relu_nodes() const {
    int n = 0;
    for (const Node& node : b.g.nodes) n += !node.dead && node.kind == OpKind::kUnary && node.as<UnaryAttrs>().kind == static_cast<int>(Unary::kRelu);
    return n;
  }
};

struct Case {
  const char* name;
  int relus;
  ValueId (*make)(Quantized&);
};

const Case kCases[] = {
    {"an input", 1, [](Quantized& q) { return q.x; }},
    {"x * x", 0, [](Quantized& q) { return q.b.mul(q.x, q.x); }},
    {"x * |x|", 1, [](Quantized& q) { return q.b.mul(q.x, q.abs(q.x)); }},
    {"x to the 2", 0, [](Quantized& q) { return q.b.pow(q.x, q.b.scalar(2)); }},
    {"x to the 3", 1, [](Quantized& q) { return q.b.pow(q.x, q.b.scalar(3)); }},
    {"|x| to the |x|", 0, [](Quantized& q) { return q.b.pow(q.abs(q.x), q.abs(q.x)); }},
    {"max(x, 0)", 0, [](Quantized& q) { return q.b.max(q.x, q.b.scalar(0)); }},
    {"max(0, x)", 0, [](Quantized& q) { return q.b.max(q.b.scalar(0), q.x); }},
    {"max(x, -1)", 1, [](Quantized& q) { return q.b.max(q.x, q.b.scalar(-1)); }},
    {"min(|x|, 1)", 0, [](Quantized& q) { return q.op(binary::kMin, q.abs(q.x), q.b.scalar(1)); }},
    {"min(|x|, x)", 1, [](Quantized& q) { return q.op(binary::kMin, q.abs(q.x), q.x); }},
    {"1 + erf(x)", 0, [](Quantized& q) { return q.b.add(q.b.scalar(1), q.b.unary(Unary::kErf, q.x)); }},
    {"tanh(x) + 1", 0, [](Quantized& q) { return q.b.add(q.b.unary(Unary::kTanh, q.x), q.b.scalar(1)); }},
    {"tanh(x) + .5", 1, [](Quantized& q) { return q.b.add(q.b.unary(Unary::kTanh, q.x), q.b.scalar(0.5f)); }},
    {"sign(x) + 1", 1, [](Quantized& q) { return q.b.add(q.b.unary(unary::kSign, q.x), q.b.scalar(1)); }},
    {"|x| - 1", 1, [](Quantized& q) { return q.b.sub(q.abs(q.x), q.b.scalar(1)); }},
    {"|x| / 3", 0, [](Quantized& q) { return q.b.div(q.abs(q.x), q.b.scalar(3)); }},
    {"Relu", 0, [](Quantized& q) { return q.b.unary(Unary::kRelu, q.x); }},
    {"Sigmoid", 0, [](Quantized& q) { return q.b.unary(Unary::kSigmoid, q.x); }},
    {"Exp", 0, [](Quantized& q) { return q.b.unary(Unary::kExp, q.x); }},
    {"root of |x|", 0, [](Quantized& q) { return q.b.unary(unary::kSqrt, q.abs(q.x)); }},
    {"Square", 0, [](Quantized& q) { return q.b.unary(unary::kSquare, q.x); }},
    {"1 / (1 + |x|)", 0, [](Quantized& q) { return q.b.unary(unary::kReciprocal, q.b.add(q.abs(q.x), q.b.scalar(1))); }},
    {"1 / (x + 5)", 1, [](Quantized& q) { return q.b.unary(unary::kReciprocal, q.b.add(q.x, q.b.scalar(5))); }},
    {"Tanh", 1, [](Quantized& q) { return q.b.unary(Unary::kTanh, q.x); }},
    {"L1", 0, [](Quantized& q) { return q.reduce(reduce::kL1, q.x); }},
    {"L2", 0, [](Quantized& q) { return q.reduce(reduce::kL2, q.x); }},
    {"SumSquare", 0, [](Quantized& q) { return q.reduce(reduce::kSumSquare, q.x); }},
    {"Sum of |x|", 0, [](Quantized& q) { return q.reduce(reduce::kSum, q.abs(q.x)); }},
    {"Sum", 1, [](Quantized& q) { return q.reduce(reduce::kSum, q.x); }},
    {"LogSumExp of |x|", 1, [](Quantized& q) { return q.reduce(reduce::kLogSumExp, q.abs(q.x)); }},
    {"Softmax", 0, [](Quantized& q) { return q.b.softmax(q.x); }},
    {"where |x| or 1", 0, [](Quantized& q) { return q.where(q.abs(q.x), q.b.scalar(1)); }},
    {"where |x| or -1", 1, [](Quantized& q) { return q.where(q.abs(q.x), q.b.scalar(-1)); }},
    {"where x or 1", 1, [](Quantized& q) { return q.where(q.x, q.b.scalar(1)); }},
    {"where |x| or x", 1, [](Quantized& q) { return q.where(q.abs(q.x), q.x); }},
    {"bool as float", 0, [](Quantized& q) { return q.cast(q.flags); }},
    {"float of a float", 1, [](Quantized& q) { return q.b.transpose(q.cast(q.x), {0, 2, 1}); }},
    {"float of |x|", 0, [](Quantized& q) { return q.b.transpose(q.cast(q.abs(q.x)), {0, 2, 1}); }},
    // Arithmetic on counts and masks, which no Relu was behind.
    {"(4 - count) * 2", 0, [](Quantized& q) { return q.b.mul(q.b.sub(q.b.scalar(4), q.cast(q.counts)), q.b.scalar(2)); }},
    {"a count where flags are", 0, [](Quantized& q) { return q.where(q.b.sub(q.cast(q.counts), q.b.scalar(0)), q.b.scalar(1)); }},
    {"a count where flags are, x elsewhere", 1, [](Quantized& q) { return q.where(q.cast(q.counts), q.x); }},
    {"a count plus x", 1, [](Quantized& q) { return q.b.add(q.cast(q.counts), q.x); }},
    {"a count, moved", 0, [](Quantized& q) { return q.b.transpose(q.b.sub(q.cast(q.counts), q.b.scalar(0)), {0, 2, 1}); }},
    {"a pair behind a pair", 1, [](Quantized& q) { return q.pair(q.b.unary(unary::kSign, q.x), DType::kUint8, 0); }},
    {"x behind a layer", 1, [](Quantized& q) { return q.b.matmul(q.x, q.b.weights({4, 4})); }},
};

TEST(SaturationAtZero, IsAReluWhereSomethingMayBeNegative) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Quantized q;
    EXPECT_EQ(q.relus(q.pair(c.make(q), DType::kUint8, 0)), c.relus);
  }
}

// One step above the lower end nothing is cut off at zero, so no Relu was there.
TEST(SaturationAtZero, OnlyWithTheZeroPointAtTheLowerEnd) {
  const struct {
    DType type;
    int64_t zero;
    int relus;
  } cases[] = {{DType::kUint8, 0, 1},   {DType::kUint8, 8, 0},       {DType::kInt8, -128, 1},   {DType::kInt8, -120, 0},
               {DType::kUint16, 0, 1},  {DType::kUint16, 8, 0},      {DType::kInt16, -32768, 1}, {DType::kInt16, -32760, 0},
               {DType::kInt8, 0, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(dtype_name(c.type)) + " " + std::to_string(c.zero));
    Quantized q;
    EXPECT_EQ(q.relus(q.pair(q.x, c.type, c.zero)), c.relus);
  }
}

}  // namespace

}  // namespace edgeconv::testing
