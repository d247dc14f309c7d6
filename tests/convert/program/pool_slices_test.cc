// Slices in steps and the maximum or sum of all of them are a Pool; what only resembles one stays.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace pad = ert::params::pad;
namespace pool = ert::params::pool;
using ert::params::OpCode;
using Ints = std::vector<int32_t>;

const DimExpr kSeq = DimExpr::symbol("seq");
constexpr float kLowest = -std::numeric_limits<float>::infinity();

// Over axis 1 of x [2, seq, 3], or of it padded.
class PoolSlices : public ::testing::Test {
 protected:
  PoolSlices() : p({{"seq", 9, 64}}) {
    x = value({DimExpr(2), kSeq, DimExpr(3)});
    p.values[0].storage = Storage::kInput;
    p.inputs.push_back({"x", ERT_F32, x});
  }
  int value(Shape shape, uint8_t dtype = ERT_F32) { return p.add_value(dtype, std::move(shape)); }
  const Shape& shape(int v) const { return p.values[static_cast<size_t>(v)].shape; }
  int padded(int of, int64_t before, int64_t behind, float fill) {
    Shape s = shape(of);
    s[1] = s[1] + DimExpr(before + behind);
    const int y = value(s);
    int32_t bits;
    std::memcpy(&bits, &fill, sizeof bits);
    p.ops.push_back({OpCode::kPad, {of}, {y}, {pad::kConstant, bits, p.exprs.add(DimExpr(0)), p.exprs.add(DimExpr(before)), p.exprs.add(DimExpr(0))}, {}, "pad"});
    return y;
  }
  int slice(int of, int64_t start, int64_t left, int64_t step) {
    Shape s = shape(of);
    s[1] = s[1] - DimExpr(start + left);
    if (step != 1) s[1] = (s[1] + DimExpr(step - 1)).floor_div(DimExpr(step));
    const int y = value(s, p.values[static_cast<size_t>(of)].dtype);
    const int zero = p.exprs.add(DimExpr(0));
    p.ops.push_back({OpCode::kSlice, {of}, {y}, {zero, 1, p.exprs.add(DimExpr(start)), static_cast<int32_t>(step), zero, 1}, {}, "slice"});
    return y;
  }
  int combined(int a, int b, int32_t kind = binary::kMax) {
    const int y = value(shape(a), p.values[static_cast<size_t>(a)].dtype);
    p.ops.push_back({OpCode::kBinary, {a, b}, {y}, {kind}, {}, "combine"});
    return y;
  }
  // As decompose_pool writes it.
  int pooled(int of, int64_t kernel, int64_t step, int32_t kind = binary::kMax, int64_t dilation = 1) {
    int y = -1;
    for (int64_t k = 0; k < kernel; ++k) {
      const int part = slice(of, k * dilation, (kernel - 1 - k) * dilation, step);
      y = y < 0 ? part : combined(y, part, kind);
    }
    return y;
  }
  int passed(int y) {
    p.values[static_cast<size_t>(y)].storage = Storage::kOutput;
    p.outputs.push_back({"y", p.values[static_cast<size_t>(y)].dtype, y});
    return pass_pool_slices(p, {});
  }
  void expect_one(const Ints& ints) {
    ASSERT_EQ(p.ops.size(), 1u);
    EXPECT_EQ(p.ops[0].code, OpCode::kPool);
    EXPECT_EQ(p.ops[0].inputs, std::vector<int>{x});
    EXPECT_EQ(p.ops[0].ints, ints);
  }

  TargetProgram p;
  int x;
};

TEST_F(PoolSlices, MaximaInSteps) {
  EXPECT_GE(passed(pooled(x, 3, 2)), 1);
  expect_one({pool::kMax, 1, 3, 2, 1, 0, 0});
}
TEST_F(PoolSlices, SumsOfDistantPositions) {
  EXPECT_GE(passed(pooled(x, 4, 1, binary::kAdd, 2)), 1);
  expect_one({pool::kSum, 1, 4, 1, 2, 0, 0});
}
TEST_F(PoolSlices, PaddingIsTheirs) {
  EXPECT_GE(passed(pooled(padded(x, 1, 2, kLowest), 3, 2)), 1);
  expect_one({pool::kMax, 1, 3, 2, 1, 1, 2});
}
TEST_F(PoolSlices, ZerosAroundSumsAreTheirs) {
  EXPECT_GE(passed(pooled(padded(x, 1, 1, 0.0f), 2, 2, binary::kAdd)), 1);
  expect_one({pool::kSum, 1, 2, 2, 1, 1, 1});
}

// A window in padding alone, another fill, an axis whose windows may step over it, and a reader beside the pool.
TEST_F(PoolSlices, OtherPaddingStays) {
  const int wide = pooled(padded(x, 3, 0, kLowest), 3, 1), zeros = pooled(padded(x, 1, 0, 0.0f), 3, 1),
            apart = pooled(padded(x, 1, 0, kLowest), 3, 1, binary::kMax, 2), shared = padded(x, 1, 0, kLowest);
  const int read = pooled(shared, 3, 1);
  for (const int y : {wide, zeros, apart, read, shared}) {
    p.values[static_cast<size_t>(y)].storage = Storage::kOutput;
    p.outputs.push_back({"y", ERT_F32, y});
  }
  EXPECT_GE(pass_pool_slices(p, {}), 4);
  int pads = 0;
  for (const TargetOp& op : p.ops) {
    if (op.code == OpCode::kPad) ++pads;
    if (op.code != OpCode::kPool) continue;
    EXPECT_EQ(Ints(op.ints.end() - 2, op.ints.end()), (Ints{0, 0}));
  }
  EXPECT_EQ(pads, 4);
}

TEST_F(PoolSlices, WhatIsReadElsewhereStays) {
  const int y = pooled(x, 2, 2), part = p.ops[0].outputs[0];
  p.values[static_cast<size_t>(part)].storage = Storage::kOutput;
  p.outputs.push_back({"part", ERT_F32, part});
  EXPECT_EQ(passed(y), 0);
}
TEST_F(PoolSlices, OtherDistancesStay) {
  EXPECT_EQ(passed(combined(combined(slice(x, 0, 3, 1), slice(x, 1, 2, 1)), slice(x, 3, 0, 1))), 0);
}
TEST_F(PoolSlices, ALaterStartStays) { EXPECT_EQ(passed(combined(slice(x, 1, 1, 1), slice(x, 2, 0, 1))), 0); }
TEST_F(PoolSlices, AnEarlierEndStays) { EXPECT_EQ(passed(combined(slice(x, 0, 2, 1), slice(x, 1, 1, 1))), 0); }
TEST_F(PoolSlices, OneOfEachKindStays) {
  EXPECT_EQ(passed(combined(combined(slice(x, 0, 2, 1), slice(x, 1, 1, 1)), slice(x, 2, 0, 1), binary::kAdd)), 0);
}
TEST_F(PoolSlices, TwoInputsStay) {
  const int other = value({DimExpr(2), kSeq, DimExpr(3)});
  p.values[static_cast<size_t>(other)].storage = Storage::kInput;
  p.inputs.push_back({"other", ERT_F32, other});
  EXPECT_EQ(passed(combined(slice(x, 0, 1, 1), slice(other, 1, 0, 1))), 0);
}
TEST_F(PoolSlices, WholeNumbersStay) {
  const int ids = value({DimExpr(2), kSeq, DimExpr(3)}, ERT_I32);
  p.values[static_cast<size_t>(ids)].storage = Storage::kInput;
  p.inputs.push_back({"ids", ERT_I32, ids});
  EXPECT_EQ(passed(pooled(ids, 2, 2)), 0);
}

}  // namespace

}  // namespace edgeconv
