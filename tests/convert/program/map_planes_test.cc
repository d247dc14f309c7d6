// Which maps are quantized from images with their channels first, and what becomes of the Transpose before them.
#include <gtest/gtest.h>

#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

// The map of an image [1, channels, 8, 9] whose Transpose is quantized.
TargetProgram map_of_image(int64_t channels, std::vector<int32_t> order) {
  TargetProgram p({{"batch", 1, 2}});
  const int image = p.add_value(ERT_F32, {DimExpr(1), DimExpr(channels), DimExpr(8), DimExpr(9)});
  p.values.back().storage = Storage::kInput;
  p.inputs.push_back({"image", ERT_F32, image});
  const int last = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(9), DimExpr(channels)});
  p.ops.push_back({OpCode::kTranspose, {image}, {last}, std::move(order), {}, "moved"});
  const int q = p.add_value(ERT_U8, {DimExpr(1), DimExpr(8), DimExpr(9), DimExpr(channels)});
  const int scales = p.add_value(ERT_I32, {DimExpr(1), DimExpr(8), DimExpr(2)});
  p.ops.push_back({OpCode::kQuantizeMap, {last, -1}, {q, scales}, {}, {}, "map"});
  const int y = p.add_value(ERT_F32, {DimExpr(1), DimExpr(8), DimExpr(9), DimExpr(channels)});
  p.values.back().storage = Storage::kOutput;
  p.outputs.push_back({"y", ERT_F32, y});
  p.ops.push_back({OpCode::kMapToFloat, {q, scales, -1}, {y}, {}, {}, "floats"});
  return p;
}

TEST(MapPlanes, AnImageIsReadAsItIs) {
  TargetProgram p = map_of_image(3, {0, 2, 3, 1});
  EXPECT_EQ(pass_map_planes(p, {}), 1);
  ASSERT_EQ(p.ops.size(), 2u) << "nobody reads the Transpose";
  EXPECT_EQ(p.ops[0].code, OpCode::kQuantizeMap);
  EXPECT_EQ(p.ops[0].inputs[0], p.inputs[0].value);
  EXPECT_EQ(p.ops[0].ints, std::vector<int32_t>{1});
  EXPECT_EQ(pass_map_planes(p, {}), 0);
}

TEST(MapPlanes, OfMoreChannelsOrAnotherOrderNothingChanges) {
  for (TargetProgram p : {map_of_image(5, {0, 2, 3, 1}), map_of_image(3, {0, 3, 2, 1})}) {
    EXPECT_EQ(pass_map_planes(p, {}), 0);
    EXPECT_EQ(p.ops.size(), 3u);
  }
}

}  // namespace
}  // namespace edgeconv
