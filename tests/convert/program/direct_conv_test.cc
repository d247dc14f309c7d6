// Which convolutions read their map in place, and what becomes of the Transpose before them.
#include <gtest/gtest.h>

#include <limits>

#include "convert/program/program_pass.h"
#include "kernels_int8/contract/unary.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace conv = ert::params::conv;
namespace direct = ert::params::direct_conv;
namespace linear = ert::params::linear;
using ert::params::OpCode;

// An image [1, channels, 8, 8] whose Transpose a Conv of 3x3 reads.
class DirectConvPass : public ::testing::Test {
 protected:
  DirectConvPass() : p({{"batch", 1, 2}}) {}

  void make(int64_t channels, int64_t filters, std::vector<int32_t> order = {0, 2, 3, 1}) {
    image = p.add_value(ERT_F32, {DimExpr(1), DimExpr(channels), DimExpr(8), DimExpr(8)});
    p.values.back().storage = Storage::kInput;
    p.inputs.push_back({"image", ERT_F32, image});
    last = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(8), DimExpr(channels)});
    p.ops.push_back({OpCode::kTranspose, {image}, {last}, std::move(order), {}, "moved"});
    std::vector<float> w(static_cast<size_t>(9 * channels * filters), 0.5f);
    weights = p.add_constant(ERT_F32, {DimExpr(9 * channels), DimExpr(filters)},
                             Tensor::of<float>(DType::kFloat, {9 * channels, filters}, w));
    const int y = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(8), DimExpr(filters)});
    p.values.back().storage = Storage::kOutput;
    p.outputs.push_back({"y", ERT_F32, y});
    p.ops.push_back({OpCode::kConv,
                     {last, weights, -1, -1, -1, -1},
                     {y},
                     {linear::kF32, kRelu, 0, static_cast<int32_t>(channels), 0},
                     {},
                     "conv"});
    for (int axis = 0; axis < 2; ++axis) p.ops.back().ints.insert(p.ops.back().ints.end(), {3, 1, 1, 1, 1});
  }
  const TargetOp& the_conv() const { return p.ops.back(); }

  static constexpr int32_t kRelu = static_cast<int32_t>(ert::kernels::Unary::kRelu);
  TargetProgram p;
  int image = -1, last = -1, weights = -1;
};

TEST_F(DirectConvPass, AnImageIsReadAsItIs) {
  make(3, 16);
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  ASSERT_EQ(p.ops.size(), 1u) << "nobody reads the Transpose";
  EXPECT_EQ(the_conv().code, OpCode::kDirectConv);
  EXPECT_EQ(the_conv().inputs.size(), size_t{direct::kInputCount});
  EXPECT_EQ(the_conv().inputs[direct::kX], p.inputs[0].value);
  EXPECT_EQ(the_conv().ints, (std::vector<int32_t>{kRelu, 1, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1}));
}

TEST_F(DirectConvPass, TheTransposeStaysForOthers) {
  make(3, 16);
  const int other = p.add_value(ERT_F32, p.values[static_cast<size_t>(last)].shape);
  p.values.back().storage = Storage::kOutput;
  p.values.back().index = 1;
  p.outputs.push_back({"other", ERT_F32, other});
  p.ops.push_back({OpCode::kUnary, {last}, {other}, {kRelu}, {}, "other"});
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  EXPECT_EQ(p.ops.size(), 3u);
}

TEST_F(DirectConvPass, ManyChannelsAndOtherOrdersKeepTheTranspose) {
  make(8, 16);
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  ASSERT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(the_conv().ints[direct::kChannelsFirst], 0);
}

TEST_F(DirectConvPass, FewFiltersReadManyPlanes) {
  for (const int64_t filters : {4, 8}) {
    p = TargetProgram({{"batch", 1, 2}});
    make(64, filters);
    EXPECT_EQ(pass_direct_conv(p, {}), 1);
    ASSERT_EQ(p.ops.size(), 1u) << filters;
    EXPECT_EQ(the_conv().ints[direct::kChannelsFirst], 1);
  }
  for (const auto& [channels, filters] : {std::pair{65, 8}, {64, 9}, {64, 3}}) {
    p = TargetProgram({{"batch", 1, 2}});
    make(channels, filters);
    EXPECT_EQ(pass_direct_conv(p, {}), 1);
    EXPECT_EQ(p.ops.size(), 2u) << channels << " " << filters;
  }
}

// A group of a convolution; before, its patches were gathered.
TEST_F(DirectConvPass, SomeChannelsAreRead) {
  make(8, 16);
  TargetOp& op = p.ops.back();
  op.ints[conv::kFirstChannel] = 4;
  op.ints[conv::kChannels] = 4;
  op.inputs[linear::kWeights] =
      p.add_constant(ERT_F32, {DimExpr(36), DimExpr(16)}, Tensor::of<float>(DType::kFloat, {36, 16}, std::vector<float>(36 * 16, 0.5f)));
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  EXPECT_EQ(the_conv().code, OpCode::kDirectConv);
  EXPECT_EQ(the_conv().ints.back(), 4);
  EXPECT_EQ(the_conv().ints.size(), size_t{direct::kMostInts});
}

TEST_F(DirectConvPass, AnotherOrderOfAxesKeepsTheTranspose) {
  make(3, 16, {0, 3, 2, 1});
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  ASSERT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(the_conv().ints[direct::kChannelsFirst], 0);
}

TEST_F(DirectConvPass, TheSlopeOfALeakyReluGoesAlong) {
  make(3, 16);
  p.ops.back().ints[conv::kActivation] = ert::params::unary::kLeakyRelu;
  p.ops.back().floats = {0.1f};
  EXPECT_EQ(pass_direct_conv(p, {}), 1);
  EXPECT_EQ(the_conv().ints[direct::kActivation], int32_t{ert::params::unary::kLeakyRelu});
  EXPECT_EQ(the_conv().floats, std::vector<float>{0.1f});
}

TEST_F(DirectConvPass, TheLeastResultOfALeakyReluGoesAlong) {
  const auto made = [&](float least, bool first, int32_t activation) {
    p = TargetProgram({{"batch", 1, 2}});
    make(3, 16);
    TargetOp& op = p.ops.back();
    op.ints[conv::kActivation] = activation;
    if (activation == ert::params::unary::kLeakyRelu) op.floats = {0.1f};
    const int y = op.outputs[0], x = p.add_value(ERT_F32, p.values[static_cast<size_t>(y)].shape);
    op.outputs[0] = x;
    const int c = p.add_constant(ERT_F32, {DimExpr(1)}, Tensor::of<float>(DType::kFloat, {1}, {least}));
    p.ops.push_back(
        {OpCode::kBinary, first ? std::vector<int>{x, c} : std::vector<int>{c, x}, {y}, {ert::params::binary::kMax}, {}, "max"});
    EXPECT_EQ(pass_direct_conv(p, {}), 1);
    return p.ops[0].floats;
  };
  constexpr int32_t kLeaky = ert::params::unary::kLeakyRelu;
  EXPECT_EQ(made(-0.4f, true, kLeaky), (std::vector<float>{0.1f, -0.4f}));
  ASSERT_EQ(p.ops.size(), 1u);
  EXPECT_EQ(p.ops[0].outputs[0], p.outputs[0].value);
  EXPECT_EQ(made(-0.4f, false, kLeaky), (std::vector<float>{0.1f, -0.4f}));
  EXPECT_EQ(made(0.0f, true, kLeaky), std::vector<float>{0.1f}) << "the sign of a zero depends on the order";
  EXPECT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(made(-0.4f, true, kRelu), std::vector<float>{}) << "no other activation has room for it";
}

TEST_F(DirectConvPass, OthersStay) {
  const auto stays = [&](auto change) {
    p = TargetProgram({{"batch", 1, 2}});
    make(3, 16);
    change(p.ops.back());
    return pass_direct_conv(p, {}) == 0 && p.ops.size() == 2;
  };
  EXPECT_FALSE(stays([](TargetOp&) {}));
  EXPECT_TRUE(stays([](TargetOp& o) { o.ints[conv::kPrecision] = linear::kInt8; }));
  EXPECT_TRUE(stays([](TargetOp& o) { o.inputs[linear::kWeights] = -1; })) << "patches as a value";
  EXPECT_TRUE(stays([&](TargetOp&) {
    std::vector<float> w(27 * 16, 1.0f);
    w[5] = std::numeric_limits<float>::infinity();
    p.values[static_cast<size_t>(weights)].data = Tensor::of<float>(DType::kFloat, {27, 16}, w);
  })) << "an infinity times the zeros of the padding is NaN";
}

TEST_F(DirectConvPass, LargeWeightsKeepTheirBlocks) {
  make(128, 256);
  EXPECT_EQ(pass_direct_conv(p, {}), 0);
}

}  // namespace

}  // namespace edgeconv
