// What every prepare must refuse, tried on one good case of each op: missing, surplus and malformed operands and parameters.
#include <gtest/gtest.h>

#include <string>

#include "tests/rt/ops/good_cases.h"

namespace ert::test {
namespace {

Tensor f(Dims d) { return empty(ERT_F32, std::move(d)); }

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
