// What one condition of a prepare refuses and no other: a case that is accepted, with one thing changed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/rt/ops/good_cases.h"

namespace ert::test {
namespace {

namespace lin = params::linear;
namespace mcv = params::map_conv;
namespace un = params::unary;

constexpr int32_t kTooDeep = params::kMaxExactDepth + 1;

Tensor floats_of(Dims d) { return empty(ERT_F32, std::move(d)); }
Tensor ints_of(Dims d) { return empty(ERT_I32, std::move(d)); }
Tensor truths_of(Dims d) { return empty(ERT_BOOL, std::move(d)); }

OpCase good_case_of(const OpDef& def) {
  for (OpCase& c : good_cases())
    if (c.def == &def) return c;
  ADD_FAILURE() << def.name;
  return {};
}

bool takes(const OpDef& def, const std::function<void(OpCase&)>& change) {
  OpCase c = good_case_of(def);
  change(c);
  return prepares(c);
}

TEST(OneCondition, AttentionMasksAndLengths) {
  const auto with_mask = [](Dims d) {
    return takes(kOpAttention, [&](OpCase& c) { c.inputs.resize(4, absent()), c.inputs.push_back(truths_of(d)); });
  };
  EXPECT_TRUE(with_mask({1, 2, 2, 3}));  // batch, heads, queries, keys
  EXPECT_TRUE(with_mask({1, 1, 1, 3}));
  EXPECT_FALSE(with_mask({2, 2, 2, 3}));
  EXPECT_FALSE(with_mask({1, 3, 2, 3}));
  EXPECT_FALSE(with_mask({1, 2, 3, 3}));
  EXPECT_FALSE(with_mask({1, 2, 2, 1}));
  EXPECT_FALSE(with_mask({2, 2, 3}));
  EXPECT_FALSE(takes(kOpAttention, [](OpCase& c) {
    c.inputs[0] = floats_of({1, 0, 4}), c.outputs[0] = floats_of({1, 0, 4});
  })) << "no queries";
  EXPECT_FALSE(takes(kOpAttention, [](OpCase& c) { c.inputs[1] = c.inputs[2] = floats_of({1, 0, 4}); })) << "no keys";
  EXPECT_TRUE(takes(kOpAttention, [](OpCase& c) { c.inputs[1] = c.inputs[2] = floats_of({1, kTooDeep - 1, 4}); }));
  EXPECT_FALSE(takes(kOpAttention, [](OpCase& c) { c.inputs[1] = c.inputs[2] = floats_of({1, kTooDeep, 4}); }));
}

TEST(OneCondition, LinearsInFloatsHaveNothingOfQuantizedOnes) {
  for (const uint32_t k : {lin::kScale, lin::kColsum, lin::kInvSmooth})
    EXPECT_FALSE(takes(kOpLinear, [&](OpCase& c) { c.inputs.resize(lin::kInputCount, absent()), c.inputs[k] = floats_of({3}); }))
        << k;
}

TEST(OneCondition, WindowsOfConvolutions) {
  EXPECT_FALSE(takes(kOpConv, [](OpCase& c) {
    c.ints.insert(c.ints.end(), {1, 1, 1, 0, 0});
  })) << "a window of two axes over one";
  EXPECT_FALSE(takes(kOpDirectConv, [](OpCase& c) { c.inputs[0].dims[3] = 0, c.inputs[1].dims[0] = 0; })) << "no channels";
  EXPECT_FALSE(takes(kOpDirectConv, [](OpCase& c) { c.inputs[1].dims[1] = c.inputs[2].dims[0] = c.outputs[0].dims[3] = 0; }));
  EXPECT_FALSE(takes(kOpWideConv, [](OpCase& c) { c.inputs[0].dims[3] = 0, c.inputs[1].dims[1] = 0; })) << "no channels";
  EXPECT_FALSE(takes(kOpWideConv, [](OpCase& c) { c.inputs[1].dims[0] = c.inputs[2].dims[0] = c.outputs[0].dims[3] = 0; }));
  EXPECT_FALSE(takes(kOpWideConv, [](OpCase& c) { c.inputs[1].dims = {7, 30, 1}; }));
  EXPECT_FALSE(takes(kOpWideConv, [](OpCase& c) { c.inputs[1].constant = false; }));
  for (const OpDef* def : {&kOpDirectConv, &kOpConv, &kOpMapConv, &kOpWideConv})
    EXPECT_FALSE(takes(*def, [&](OpCase& c) { c.ints[def == &kOpConv ? 1 : 0] = un::kLeakyRelu; }))
        << def->name << ": a slope that is not there";
}

TEST(OneCondition, DepthThatInt32AddsUp) {
  const auto conv = [](int32_t channels) {
    return takes(kOpMapConv, [&](OpCase& c) {
      c.inputs = {empty(ERT_U8, {1, 1, 1, channels}), ints_of({1, 1, 2}), c.inputs[mcv::kWeights], floats_of({1}), ints_of({16})};
      c.inputs[mcv::kWeights].dims = {16, channels};
      c.outputs = {floats_of({1, 1, 1, 1})};
      c.ints = {mcv::kNoActivation, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0};
    });
  };
  EXPECT_TRUE(conv(kTooDeep - 1));
  EXPECT_FALSE(conv(kTooDeep));
  // Outputs that share a range share a rectangle of inputs.
  const auto shared = [](int32_t stride) {
    OpCase c = {&kOpConv,
                {floats_of({1, 1, 2 * stride, 4}), packed_n16k4(1, 4, {1, 1, 1, 1}), absent(), floats_of({1}), ints_of({1})},
                {floats_of({1, 1, 2, 1})},
                {},
                {},
                {}};
    c.ints = {lin::kInt8, lin::kNoActivation, 0, 4, 2, 1, 1, 1, 0, 0, 1, stride, 1, 0, 0};
    return prepares(c);
  };
  EXPECT_TRUE(shared(params::kMaxExactDepth / 4 - 1));
  EXPECT_FALSE(shared(params::kMaxExactDepth / 4));  // columns times channels
  EXPECT_FALSE(shared(params::kMaxExactDepth));      // columns
}

TEST(OneCondition, MapsAndTheirFactors) {
  EXPECT_FALSE(takes(kOpMapConv, [](OpCase& c) {
    c.inputs[mcv::kResidual] = absent(), c.inputs[mcv::kResidualFactors] = absent();
  })) << "scales of no residual";
  EXPECT_FALSE(takes(kOpMapConv, [](OpCase& c) { c.inputs[mcv::kResidual] = c.inputs[mcv::kResidualScales] = absent(); }))
      << "factors of none";
  EXPECT_TRUE(takes(kOpMapConv, [](OpCase& c) { c.inputs.resize(mcv::kResidual); }));
  EXPECT_FALSE(takes(kOpMapConv, [](OpCase& c) { c.inputs[mcv::kWeights].dtype = params::kPackedN16K2; }));
  EXPECT_FALSE(takes(kOpMapConv, [](OpCase& c) { c.inputs[mcv::kWeights].constant = false; }));
  EXPECT_FALSE(takes(kOpMapDepthwiseConv, [](OpCase& c) { c.inputs[mcv::kWeights].dtype = params::kPackedN8K8; }));
  EXPECT_FALSE(takes(kOpMapDepthwiseConv, [](OpCase& c) { c.inputs[mcv::kWeights].constant = false; }));
  const auto mean = [](Dims out) { return takes(kOpMapMean, [&](OpCase& c) { c.outputs[0] = floats_of(std::move(out)); }); };
  EXPECT_TRUE(mean({1, 1, 1, 3}));
  EXPECT_FALSE(mean({1, 1, 3}));
  EXPECT_FALSE(mean({1, 2, 1, 3}));
  EXPECT_FALSE(mean({1, 1, 2, 3}));
  EXPECT_FALSE(mean({2, 3}));
  EXPECT_FALSE(takes(kOpMapMean, [](OpCase& c) { c.inputs[0].dims[2] = (1 << 22) + 1; })) << "sums that int32 does not hold";
  for (size_t axis = 0; axis < 4; ++axis)
    EXPECT_FALSE(takes(kOpQuantizeMap, [&](OpCase& c) { c.inputs[0].dims[axis] += 1; })) << "channels first, axis " << axis;
  EXPECT_FALSE(takes(kOpQuantizeMap, [](OpCase& c) { c.inputs[0].dims = {4, 2, 3}; })) << "channels first, three axes";
}

TEST(OneCondition, EmptyRowsAndScalars) {
  EXPECT_FALSE(takes(kOpGlu, [](OpCase& c) { c.inputs = {floats_of({}), floats_of({})}, c.outputs = {floats_of({})}; }));
  for (const OpDef* def : {&kOpL2Normalize, &kOpLayerNorm}) {
    EXPECT_FALSE(takes(*def, [](OpCase& c) {
      for (Tensor& t : c.inputs) t = floats_of({});
      for (Tensor& t : c.outputs) t = floats_of({});
    })) << def->name;
    EXPECT_FALSE(takes(*def, [](OpCase& c) {
      for (Tensor& t : c.inputs) t.dims.back() = 0;
      for (Tensor& t : c.outputs) t.dims.back() = 0;
    })) << def->name;
  }
  EXPECT_FALSE(takes(kOpTopK, [](OpCase& c) { c.outputs[0].dims[1] = c.outputs[1].dims[1] = 4; })) << "more than there are";
  EXPECT_FALSE(takes(kOpPad, [](OpCase& c) { c.inputs[0] = floats_of({0}), c.ints[params::pad::kMode] = params::pad::kEdge; }))
      << "nothing to repeat";
  EXPECT_TRUE(takes(kOpPad, [](OpCase& c) { c.inputs[0] = floats_of({0}); }));
  for (const int64_t far : {int64_t{INT32_MAX} + 1, -int64_t{INT32_MAX} - 1})
    EXPECT_FALSE(takes(kOpPad, [&](OpCase& c) { c.exprs[0] = far; })) << far;
}

TEST(OneCondition, FloatsThatAnOpComputesWith) {
  const auto unary = [](int32_t kind, std::vector<float> floats) {
    return takes(kOpUnary, [&](OpCase& c) { c.ints[0] = kind, c.floats = std::move(floats); });
  };
  EXPECT_TRUE(unary(un::kElu, {0.0f}));
  EXPECT_FALSE(unary(un::kElu, {}));
  EXPECT_FALSE(unary(un::kElu, {NAN}));
  EXPECT_TRUE(unary(un::kCelu, {0.5f}));
  EXPECT_FALSE(unary(un::kCelu, {0.0f})) << "divides by it";
  EXPECT_TRUE(takes(kOpMatMul, [](OpCase& c) { c.floats = {0.5f}; }));
  EXPECT_FALSE(takes(kOpMatMul, [](OpCase& c) { c.floats = {NAN}; }));
  EXPECT_FALSE(takes(kOpMatMul, [](OpCase& c) { c.floats = {INFINITY}; }));
}

TEST(OneCondition, RecurrencesOfTwoDirectionsHaveOneLayout) {
  const auto second = [](const std::function<void(OpCase&)>& change) {
    return takes(kOpRecurrence, [&](OpCase& c) {
      const std::vector<Tensor> weights(c.inputs.begin() + params::recurrence::kFirstWeights, c.inputs.end());
      c.inputs.resize(params::recurrence::kFirstWeights);
      for (uint32_t k = 1; k < params::recurrence::kFirstWeights; ++k) c.inputs[k] = absent();
      for (int direction = 0; direction < 2; ++direction) c.inputs.insert(c.inputs.end(), weights.begin(), weights.end());
      c.inputs[0] = floats_of({5, 3, 32});
      c.outputs = {floats_of({5, 3, 8}), floats_of({2, 3, 4}), floats_of({2, 3, 4})};
      c.ints[params::recurrence::kDirection] = params::recurrence::kBidirectional;
      c.ints.insert(c.ints.end(), c.ints.end() - 3, c.ints.end());
      change(c);
    });
  };
  EXPECT_TRUE(second([](OpCase&) {}));
  constexpr size_t kSecond = params::recurrence::kFirstWeights + 4;
  EXPECT_FALSE(second([](OpCase& c) { c.inputs[kSecond].dtype = params::kPackedN8K8; }));
  EXPECT_FALSE(second([](OpCase& c) { c.inputs[kSecond].dims[1] = 8; }));
  EXPECT_FALSE(second([](OpCase& c) { c.inputs[kSecond].dims = {64, 4, 1}; }));
}

TEST(OneCondition, CustomOperandsOfBothSidesTogether) {
  const auto custom = [](size_t inputs, size_t outputs) {
    return takes(kOpCustom,
                 [&](OpCase& c) { c.inputs.assign(inputs, floats_of({2})), c.outputs.assign(outputs, floats_of({2})); });
  };
  EXPECT_TRUE(custom(32, 32));
  EXPECT_FALSE(custom(33, 32));
}

}  // namespace
}  // namespace ert::test
