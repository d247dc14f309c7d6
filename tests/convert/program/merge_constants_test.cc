// Which constants become one value, and who reads it then.
#include <gtest/gtest.h>

#include <set>

#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {
namespace {

using ert::params::OpCode;

Tensor floats(const std::vector<float>& v) { return Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v); }

// x + a constant, again and again.
struct Sums {
  Sums() : p({{"batch", 1, 2}}) {
    last = p.add_value(ERT_F32, {DimExpr(1), DimExpr(2)});
    p.values.back().storage = Storage::kInput;
    p.inputs.push_back({"x", ERT_F32, last});
  }
  void add(int constant) {
    const int y = p.add_value(ERT_F32, {DimExpr(1), DimExpr(2)});
    p.ops.push_back({OpCode::kBinary, {last, constant}, {y}, {}, {}, ""});
    last = y;
  }
  int merged() {
    p.values[static_cast<size_t>(last)].storage = Storage::kOutput;
    p.outputs.push_back({"y", ERT_F32, last});
    return pass_merge_constants(p, {});
  }
  int constant(size_t op) const { return p.ops[op].inputs[1]; }
  TargetProgram p;
  int last;
};

TEST(MergeConstants, EqualTypeShapeAndContents) {
  Sums s;
  s.add(s.p.add_constant(ERT_F32, {DimExpr(2)}, floats({1, 2})));
  s.add(s.p.add_constant(ERT_F32, {DimExpr(2)}, floats({1, 3})));
  s.add(s.p.add_constant(ERT_F32, {DimExpr(2)}, floats({1, 2})));
  s.add(s.p.add_constant(ERT_F32, {DimExpr(1), DimExpr(2)}, floats({1, 2})));
  s.add(s.p.add_constant(ERT_I32, {DimExpr(2)}, floats({1, 2})));
  EXPECT_EQ(s.merged(), 1);
  EXPECT_EQ(s.constant(0), s.constant(2));
  const std::set<int> others = {s.constant(0), s.constant(1), s.constant(3), s.constant(4)};
  EXPECT_EQ(others.size(), 4u);
  EXPECT_EQ(s.p.values.size(), 1u + 5 + 4) << "the other one is gone";
  EXPECT_EQ(s.merged(), 0) << "again";
}

TEST(MergeConstants, AliasesFollow) {
  Sums s;
  const int a = s.p.add_constant(ERT_F32, {DimExpr(2)}, floats({1, 2})), b = s.p.add_constant(ERT_F32, {DimExpr(2)}, floats({1, 2}));
  s.add(a);
  s.add(s.p.add_alias(b, {DimExpr(1), DimExpr(2)}));
  EXPECT_EQ(s.merged(), 1);
  EXPECT_NE(s.constant(0), s.constant(1));
  EXPECT_EQ(s.p.root(s.constant(1)), s.constant(0));
}

}  // namespace
}  // namespace edgeconv
