// What every prepare must refuse, tried on one good case of each op: missing, surplus and malformed operands and parameters.
#include <gtest/gtest.h>

#include <string>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

Tensor f(Dims d) { return empty(ERT_F32, std::move(d)); }
Tensor i(Dims d) { return empty(ERT_I32, std::move(d)); }
Tensor b(Dims d) { return empty(ERT_BOOL, std::move(d)); }

// One accepted case of every op of op_list.inc.
std::vector<OpCase> good_cases() {
  return {
      {&kOpImportInt, {empty(ERT_I64, {2})}, {i({2})}, {}, {}, {}},
      {&kOpExportInt, {i({2})}, {empty(ERT_I64, {2})}, {}, {}, {}},
      {&kOpCopy, {f({2})}, {f({2})}, {}, {}, {}},
      {&kOpCast, {f({2})}, {i({2})}, {}, {}, {}},
      {&kOpFill, {}, {f({2})}, {0}, {}, {}},
      {&kOpDimsToTensor, {}, {i({2})}, {0, 0}, {}, {3}},
      {&kOpRange, {}, {i({2})}, {0, 1}, {}, {3}},
      {&kOpEmbedding, {i({2}), f({5, 3})}, {f({2, 3})}, {}, {}, {}},
      {&kOpLinear, {f({2, 4}), f({4, 3}), f({3})}, {f({2, 3})}, {1, -1}, {}, {}},
      {&kOpAttention, {f({1, 2, 4}), f({1, 3, 4}), f({1, 3, 4})}, {f({1, 2, 4})}, {1, 2, 2, 2, 2, 0, 0, 0, 0}, {1.0f}, {}},
      {&kOpLayerNorm, {f({2, 4}), f({2, 4}), f({4}), f({4})}, {f({2, 4}), f({2, 4})}, {0}, {1e-5f}, {}},
      {&kOpSoftmax, {f({2, 4})}, {f({2, 4})}, {1, 0}, {}, {}},
      {&kOpUnary, {f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpBinary, {f({2}), f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpWhere, {b({2}), f({2}), f({2})}, {f({2})}, {}, {}, {}},
      {&kOpReduce, {f({2, 3})}, {f({2})}, {0, 2}, {}, {}},
      {&kOpMatMul, {f({2, 3}), f({3, 4})}, {f({2, 4})}, {0}, {}, {}},
      {&kOpTranspose, {f({2, 3})}, {f({3, 2})}, {1, 0}, {}, {}},
      {&kOpSlice, {f({4})}, {f({2})}, {0, 1}, {}, {1}},
      {&kOpConcat, {f({2}), f({3})}, {f({5})}, {0}, {}, {}},
      {&kOpGather, {f({5, 2}), i({3})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpGatherElements, {f({5, 2}), i({3, 2})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpGatherND, {f({5, 2}), i({3, 1})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpScatterND, {f({5, 2}), i({3, 1}), f({3, 2})}, {f({5, 2})}, {0}, {}, {}},
      {&kOpScatterElements, {f({5, 2}), i({3, 2}), f({3, 2})}, {f({5, 2})}, {0, 0}, {}, {}},
      {&kOpExpand, {f({2, 1})}, {f({2, 3})}, {}, {}, {}},
      {&kOpCumSum, {f({2, 3})}, {f({2, 3})}, {1, 0, 0}, {}, {}},
      {&kOpPad, {f({2})}, {f({4})}, {0, 0, 0}, {}, {1}},
      {&kOpArgMinMax, {f({2, 3})}, {i({2})}, {1, 1, 0}, {}, {}},
      {&kOpTopK, {f({2, 3})}, {f({2, 2}), i({2, 2})}, {1, 1, 1}, {}, {}},
      {&kOpMeanPool, {f({2, 3, 4}), f({2, 3})}, {f({2, 4})}, {}, {1e-9f}, {}},
      {&kOpL2Normalize, {f({2, 3})}, {f({2, 3})}, {}, {1e-9f}, {}},
      {&kOpTrilu, {f({3, 3})}, {f({3, 3})}, {1, 0}, {}, {0}},
      {&kOpOneHot, {i({3})}, {f({3, 4})}, {1, 1, 0}, {}, {}},
      {&kOpCustom, {f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpRecurrence,
       {f({5, 3, 16}), i({3}), f({1, 3, 4}), f({1, 3, 4}), f({1, 12}), packed_n16k4(64, 4, std::vector<int8_t>(256)), f({64}),
        i({64}), f({64})},
       {f({5, 3, 4}), f({1, 3, 4}), f({1, 3, 4})},
       {0, 0, 0, 0, 0, 4, 3, 3},
       {0.0f},
       {}},
      {&kOpPackRows, {f({2, 3, 4})}, {f({1, 5, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3},
      {&kOpUnpackRows, {f({1, 5, 4})}, {f({2, 3, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3},
      {&kOpConv, {f({2, 5, 4}), f({8, 3}), f({3})}, {f({2, 4, 3})}, {1, -1, 0, 4, 0, 2, 1, 1, 0, 0}, {}, {}},
      {&kOpDepthwiseConv, {f({2, 4, 5, 3}), f({9, 3}), f({3})}, {f({2, 3, 3, 3})}, {0, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpDirectConv, {f({2, 3, 4, 5}), f({27, 7}), f({7})}, {f({2, 3, 3, 7})}, {0, 1, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpRope, {f({2, 3, 9}), f({1, 3, 2}), f({2, 3, 2})}, {f({2, 3, 8})}, {2, 4, 2, 1, 0}, {}, {}},
      {&kOpGlu, {f({2, 9}), f({2, 7})}, {f({2, 4})}, {0, 5, 3}, {}, {}},
      {&kOpImportFloat, {empty(ERT_I16, {2})}, {f({2})}, {}, {}, {}},
  };
}

TEST(Prepare, EveryOpIsTried) {
  size_t at = 0;
  const std::vector<OpCase> cases = good_cases();
#define ERT_OP(number, Name)                 \
  ASSERT_LT(at, cases.size());               \
  EXPECT_EQ(cases[at].def, &kOp##Name);      \
  EXPECT_STREQ(cases[at].def->name, #Name);  \
  EXPECT_TRUE(prepares(cases[at])) << #Name; \
  ++at;
#include "rt/ops/op_list.inc"
#undef ERT_OP
  EXPECT_EQ(at, cases.size());
}

TEST(Prepare, RefusesWrongCounts) {
  for (const OpCase& good : good_cases()) {
    const std::string name = good.def->name;
    OpCase c = good;
    c.outputs.clear();
    EXPECT_FALSE(prepares(c)) << name << " without output";
    c = good;
    c.floats.assign(3, 1.0f);
    EXPECT_FALSE(prepares(c)) << name << " with floats";
    c = good;
    c.ints.resize(c.ints.size() + 20, 0);
    EXPECT_FALSE(prepares(c)) << name << " with surplus ints";
    if (!good.ints.empty()) {
      c = good;
      c.ints.clear();
      EXPECT_FALSE(prepares(c)) << name << " without ints";
    }
    if (good.def != &kOpCustom && !good.inputs.empty()) {
      c = good;
      c.inputs.clear();
      EXPECT_FALSE(prepares(c)) << name << " without inputs";
      c = good;
      c.inputs[0] = absent();
      EXPECT_FALSE(prepares(c)) << name << " with its first input absent";
    }
    if (good.def != &kOpCustom && good.def != &kOpConcat) {
      c = good;
      c.inputs.resize(c.inputs.size() + 8, f({2}));
      EXPECT_FALSE(prepares(c)) << name << " with surplus inputs";
    }
  }
}

TEST(Prepare, RefusesMalformedShapes) {
  for (const OpCase& good : good_cases()) {
    for (size_t k = 0; k < good.inputs.size() + good.outputs.size(); ++k) {
      const bool is_input = k < good.inputs.size();
      const auto spoiled = [&](const std::function<void(Tensor&)>& spoil) {
        OpCase c = good;
        spoil(is_input ? c.inputs[k] : c.outputs[k - good.inputs.size()]);
        return prepares(c);
      };
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dims[0] = -1; })) << good.def->name << " " << k;
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dims = {65536, 65536}; })) << good.def->name << " " << k;
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dims = {0, 65536, 65536}; })) << good.def->name << " " << k;
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dims.assign(9, 1); })) << good.def->name << " " << k;
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dtype = 63; })) << good.def->name << " " << k;
      if (good.def == &kOpCustom || ((good.def == &kOpFill || good.def == &kOpExpand) && !is_input))
        continue;  // any shape is right
      EXPECT_FALSE(spoiled([](Tensor& t) { t.dims.insert(t.dims.begin(), 7); })) << good.def->name << " " << k;
    }
  }
}

TEST(Prepare, RefusesExtremeParameters) {
  for (const OpCase& good : good_cases()) {
    if (good.def == &kOpFill || good.def == &kOpCustom) continue;  // any bits are right; the core checks a custom index
    for (size_t k = 0; k < good.ints.size(); ++k) {
      const bool any_bits =
          (good.def == &kOpRange && k == 1) || (good.def == &kOpPad && k == 1) || (good.def == &kOpOneHot && k > 0);
      for (int32_t extreme : {INT32_MIN, INT32_MAX}) {
        OpCase c = good;
        c.ints[k] = extreme;
        EXPECT_EQ(prepares(c), any_bits) << good.def->name << " int " << k << " = " << extreme;
      }
    }
    for (float bad : {-1.0f, __builtin_inff(), __builtin_nanf("")}) {
      if (good.floats.empty() || (good.def == &kOpAttention && bad == -1.0f)) continue;
      OpCase c = good;
      c.floats[0] = bad;
      EXPECT_FALSE(prepares(c)) << good.def->name << " float " << bad;
    }
  }
}

}  // namespace
}  // namespace ert::test
