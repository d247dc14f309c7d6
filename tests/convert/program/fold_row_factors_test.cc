// The gates of squeeze-and-excitation become factors of the Linear that reads what they multiply.
#include <gtest/gtest.h>

#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace linear = ert::params::linear;
using ert::params::OpCode;

class FoldRowFactors : public ::testing::Test {
 protected:
  FoldRowFactors() : p({{"batch", 1, 4}}) {}
  int value(Shape shape) { return p.add_value(ERT_F32, std::move(shape)); }
  int input(Shape shape) {
    const int v = value(std::move(shape));
    p.values[static_cast<size_t>(v)].storage = Storage::kInput;
    p.inputs.push_back({"x" + std::to_string(v), ERT_F32, v});
    return v;
  }
  int constant(int64_t n) { return p.add_constant(ERT_F32, {DimExpr(n)}, Tensor(DType::kFloat, {n})); }
  int product(int a, int b, int32_t kind = binary::kMul) {
    const int y = value(map);
    p.ops.push_back({OpCode::kBinary, {a, b}, {y}, {kind}, {}, "se"});
    return y;
  }
  // A Linear of 4 columns, whose result is an output.
  void read(int x, int32_t precision = linear::kInt8, int smooth = -1) {
    const int y = value({DimExpr(1), DimExpr(6), DimExpr(6), DimExpr(4)});
    std::vector<int> inputs(linear::kInputCount, -1);
    inputs[linear::kX] = x;
    inputs[linear::kInvSmooth] = smooth;
    p.ops.push_back({OpCode::kLinear, inputs, {y}, {precision, linear::kNoActivation}, {}, "project"});
    p.values[static_cast<size_t>(y)].storage = Storage::kOutput;
    p.outputs.push_back({"y", ERT_F32, y});
  }
  int folded() { return pass_fold_row_factors(p, {}); }

  TargetProgram p;
  const Shape map{DimExpr(1), DimExpr(6), DimExpr(6), DimExpr(8)};
  int rows = input(map), gates = input({DimExpr(1), DimExpr(1), DimExpr(1), DimExpr(8)});
};

TEST_F(FoldRowFactors, GatesAreTheFactors) {
  for (const auto& [a, b] : {std::pair{rows, gates}, std::pair{gates, rows}}) read(product(a, b), linear::kInt8A16);
  EXPECT_EQ(folded(), 2);
  ASSERT_EQ(p.ops.size(), 2u);
  for (const TargetOp& op : p.ops) {
    EXPECT_EQ(op.inputs[linear::kX], rows);
    EXPECT_EQ(p.root(op.inputs[linear::kInvSmooth]), gates);
    EXPECT_EQ(p.values[static_cast<size_t>(op.inputs[linear::kInvSmooth])].shape, Shape{DimExpr(8)});
  }
}
TEST_F(FoldRowFactors, SmoothingFactorsAreMultipliedFirst) {
  const int smooth = constant(8);
  read(product(rows, gates), linear::kInt8, smooth);
  EXPECT_EQ(folded(), 1);
  ASSERT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(p.ops[0].code, OpCode::kBinary);
  EXPECT_EQ(p.values[static_cast<size_t>(p.ops[0].outputs[0])].shape, Shape{DimExpr(8)});
  EXPECT_EQ(p.ops[1].inputs[linear::kInvSmooth], p.ops[0].outputs[0]);
  EXPECT_EQ(p.ops[1].inputs[linear::kX], rows);
}

TEST_F(FoldRowFactors, WithoutQuantizationThereAreNoFactors) {
  read(product(rows, gates), linear::kF32);
  EXPECT_EQ(folded(), 0);
}
TEST_F(FoldRowFactors, GatesOfEachPictureStay) {
  const Shape several{DimExpr::symbol("batch"), DimExpr(1), DimExpr(1), DimExpr(8)};
  gates = input(several);
  read(product(rows, gates));
  EXPECT_EQ(folded(), 0);
}
TEST_F(FoldRowFactors, OtherReadersAndSumsStay) {
  const int y = product(rows, gates);
  read(y);
  read(y);
  read(product(rows, gates, binary::kAdd));
  EXPECT_EQ(folded(), 0);
}

}  // namespace

}  // namespace edgeconv
