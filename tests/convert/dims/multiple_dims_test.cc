// Dims that are called by what they must be multiples of, so that sizes fit together.
#include "convert/dims/multiple_dims.h"

#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

using Range = std::pair<int32_t, int32_t>;

const DimExpr H = DimExpr::symbol("height"), W = DimExpr::symbol("width");

// x halved `levels` times along both sides, each time doubled again and added to what it was: a U-Net.
Graph u_net(int levels, const DimExpr& height, const DimExpr& width) {
  GraphBuilder b;
  ConvAttrs pool;
  pool.kernel = pool.strides = {2, 2};
  std::vector<ValueId> maps{b.input("x", {B, 4, height, width})};
  for (int i = 0; i < levels; ++i) maps.push_back(b.node(OpKind::kMaxPool, {maps.back()}, pool));
  ValueId y = maps.back();
  for (int i = levels; i-- > 0;) {
    ResizeAttrs a;
    a.coordinates = ResizeAttrs::kAsymmetric;
    a.rounding = ResizeAttrs::kFloor;
    y = b.add(b.node(OpKind::kResize, {y, b.constant(Tensor::of<float>(DType::kFloat, {4}, {1, 1, 2, 2}))}, a), maps[static_cast<size_t>(i)]);
  }
  b.output(y);
  finish(b.g);
  return b.g;
}

std::vector<std::string> warnings_of(Graph& g) {
  Diagnostics d;
  name_multiples(g, d);
  EXPECT_TRUE(d.ok());
  return d.warnings();
}

// The inner level alone holds for 1, 4, 5, 8, 9: the file was refused for a size that its exporter had frozen.
TEST(MultipleDims, LevelsOfAUNetAreJudgedTogether) {
  for (const auto& [levels, multiple] : {std::pair(1, 2), {2, 4}, {4, 16}}) {
    Graph g = u_net(levels, H, W);
    const std::vector<std::string> warnings = warnings_of(g);
    const std::string times = std::to_string(multiple);
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_EQ(warnings[0].find("dim 'height' is taken in multiples of " + times + ", as '" + times + "*height': "), 0u) << warnings[0];
    EXPECT_TRUE(g.equalities.empty());
    const DimPlan plan = plan_dims(g, {{"height", 64}, {times + "*width", 32}});
    EXPECT_EQ(plan.range.at(times + "*height"), Range(multiple, 64)) << "the name of the file is known, too";
    EXPECT_EQ(plan.range.at(times + "*width"), Range(multiple, 32));
  }
}

TEST(MultipleDims, ADimThatIsCalledAMultipleBecomesALargerOne) {
  Graph g = u_net(3, DimExpr::symbol("2*half"), 64);
  EXPECT_EQ(warnings_of(g).size(), 1u);
  EXPECT_EQ(shape_str(*g.value(g.inputs[0]).shape), "[batch, 4, 8*half, 64]");
}

// Nothing to tell where sizes fit by what is called so, or where no multiple makes them fit.
TEST(MultipleDims, OthersKeepTheirNames) {
  Graph named = u_net(2, DimExpr::symbol("4*quarter"), 64);
  EXPECT_TRUE(warnings_of(named).empty());
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S}), other = b.input("other", {B, DimExpr(3) * S.floor_div(2)});
  b.output(b.add(x, other));
  finish(b.g);
  EXPECT_TRUE(warnings_of(b.g).empty());
}

// Two dims became one, so that an input was tied to the height of another.
TEST(MultipleDims, ANameThatAnotherDimHasIsNotGiven) {
  Graph g = u_net(2, DimExpr::symbol("2*half"), 64);
  Value z;
  z.name = "z", z.dtype = DType::kFloat, z.shape = Shape{DimExpr::symbol("4*half")};
  g.values.push_back(z);
  EXPECT_TRUE(warnings_of(g).empty());
}

// A batch that must be a multiple is a size that the exporter froze.
TEST(MultipleDims, LeadingAxesStay) {
  GraphBuilder b;
  b.output(b.reshape(b.input("x", {S, 8}), {-1, 12}));
  finish(b.g);
  EXPECT_TRUE(warnings_of(b.g).empty());
}

}  // namespace

}  // namespace edgeconv::testing
