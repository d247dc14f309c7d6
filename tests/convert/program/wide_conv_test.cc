// Which convolutions of 12 bits read their map in place, and how their weights are packed then.
#include <gtest/gtest.h>

#include <cstring>

#include "convert/program/program_pass.h"
#include "convert/quantize/wide_weights.h"
#include "kernels_int8/contract/unary.h"
#include "kernels_int8/contract/wide_kernels.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace conv = ert::params::conv;
namespace linear = ert::params::linear;
namespace wide = ert::params::wide_conv;
using ert::params::OpCode;

constexpr int32_t kRelu = static_cast<int32_t>(ert::kernels::Unary::kRelu);

// [1, 8, 8, channels] by 3 x 3.
TargetProgram program(int64_t channels, int64_t filters, int32_t rows_dilation, int32_t columns_dilation) {
  TargetProgram p({{"batch", 1, 2}});
  const int x = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(8), DimExpr(channels)});
  p.values.back().storage = Storage::kInput;
  p.inputs.push_back({"x", ERT_F32, x});
  std::vector<float> w(static_cast<size_t>(9 * channels * filters));
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 100) - 50.0f;
  const PackedWeights packed = wide_weights(w, 9 * channels, filters);
  const int weights = p.add_constant(ert::params::kPackedN16K2, {DimExpr(filters), DimExpr(9 * channels)}, packed.codes);
  const int scale = p.add_constant(ERT_F32, {DimExpr(filters)}, packed.scale);
  const int y = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(8), DimExpr(filters)});
  p.values.back().storage = Storage::kOutput;
  p.outputs.push_back({"y", ERT_F32, y});
  p.ops.push_back({OpCode::kConv, {x, weights, -1, scale, -1, -1}, {y}, {linear::kW12A13, kRelu, 0, static_cast<int32_t>(channels), 0}, {}, "conv"});
  for (const int32_t d : {rows_dilation, columns_dilation}) p.ops.back().ints.insert(p.ops.back().ints.end(), {3, 1, d, d, d});
  return p;
}

int16_t code(const TargetProgram& p, int64_t column, int64_t k) {
  const TargetValue& w = p.values[static_cast<size_t>(p.ops[0].inputs[wide::kWeights])];
  int16_t value = 0;
  std::memcpy(&value,
              w.data.as<uint8_t>().data() + ert::kernels::packed_offset(ert::kernels::Layout::kN16K2, static_cast<size_t>(column), static_cast<size_t>(k),
                                                                        static_cast<size_t>(w.shape[1].evaluate({}).value())),
              sizeof value);
  return value;
}

TEST(WideConvPass, ReadsItsMapInPlace) {
  TargetProgram p = program(4, 5, 1, 1);
  EXPECT_EQ(pass_wide_conv(p, {}), 1);
  EXPECT_EQ(p.ops[0].code, OpCode::kWideConv);
  EXPECT_EQ(p.ops[0].ints, (std::vector<int32_t>{kRelu, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1}));
  EXPECT_EQ(p.ops[0].inputs.size(), size_t{wide::kInputCount});
  EXPECT_EQ(p.values[static_cast<size_t>(p.ops[0].inputs[wide::kWeights])].shape[1], DimExpr(36));
}

// Runs of odd length are padded: of whole rows of the kernel, or of the channels of a position where its columns are dilated.
TEST(WideConvPass, PadsOddRuns) {
  for (const int32_t dilation : {1, 2}) {
    const int64_t channels = dilation == 1 ? 3 : 9, run = dilation == 1 ? 9 : 9;
    TargetProgram before = program(channels, 17, 1, dilation), p = before;
    ASSERT_EQ(pass_wide_conv(p, {}), 1);
    ASSERT_EQ(p.values[static_cast<size_t>(p.ops[0].inputs[wide::kWeights])].shape[1], DimExpr(9 * channels / run * (run + 1)));
    for (int64_t k = 0; k < 9 * channels; ++k)
      for (const int64_t column : {0, 16}) {
        EXPECT_EQ(code(p, column, k / run * (run + 1) + k % run), code(before, column, k));
        EXPECT_EQ(code(p, column, k / run * (run + 1) + run), 0);
      }
  }
}

TEST(WideConvPass, ShortRunsAndFarRowsKeepTheirPatches) {
  TargetProgram short_runs = program(2, 5, 1, 1), far = program(8, 5, 40, 1), dilated = program(4, 5, 1, 2);
  EXPECT_EQ(pass_wide_conv(short_runs, {}), 0) << "six values in a row of the kernel";
  EXPECT_EQ(pass_wide_conv(far, {}), 0) << "81 rows would be held";
  EXPECT_EQ(pass_wide_conv(dilated, {}), 0) << "four values in a run";
}

TEST(WideConvPass, OtherPrecisionsAndGroupsAreNotIts) {
  TargetProgram fp32 = program(4, 5, 1, 1), group = fp32;
  fp32.ops[0].ints[conv::kPrecision] = linear::kInt8;
  group.ops[0].ints[conv::kChannels] = 2;
  EXPECT_EQ(pass_wide_conv(fp32, {}), 0);
  EXPECT_EQ(pass_wide_conv(group, {}), 0);
}

}  // namespace
}  // namespace edgeconv
