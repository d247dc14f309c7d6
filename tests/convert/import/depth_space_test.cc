// DepthToSpace and SpaceToDepth of any sizes, and SpaceToDepth where these must be multiples.
#include <gtest/gtest.h>

#include "convert/dims/multiple_dims.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

// Sizes that are known only at run time stay symbolic.
TEST(Importers, DepthToSpaceAndBackKeepDynamicSizes) {
  OneNode n(13);
  n.m.input("x", {"batch", "8", "height", "width"});
  auto* there = n.m.node("DepthToSpace", {"x"}, {"wide"});
  set_int(there, "blocksize", 2);
  set_int(n.m.node("SpaceToDepth", {"wide"}, {"y"}), "blocksize", 2);
  n.m.output("wide");
  n.m.output("y");
  n.kinds();
  const Graph& g = n.imported.graph;
  Diagnostics d;
  infer(n.imported.graph, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(shape_str(*g.value(g.outputs[0]).shape), "[batch, 2, 2*height, 2*width]");
  EXPECT_EQ(shape_str(*g.value(g.outputs[1]).shape), "[batch, 8, height, width]");
  std::vector<float> x(8 * 6);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  EXPECT_EQ(interpret(g, {Tensor::of<float>(DType::kFloat, {1, 8, 2, 3}, x)})[1].to_float(), x);
}

// PixelUnshuffle of any height and width was refused: the channels were solved by -1, which no size of all three axes proves whole.
TEST(Importers, SpaceToDepthOfDynamicSizesTakesMultiples) {
  for (const bool behind : {false, true}) {  // a DepthToSpace
    OneNode n(13);
    n.m.input("x", {"batch", "8", "height", "width"});
    if (behind) set_int(n.m.node("DepthToSpace", {"x"}, {"wide"}), "blocksize", 2);
    set_int(n.m.node("SpaceToDepth", {behind ? "wide" : "x"}, {"y"}), "blocksize", behind ? 6 : 3);
    n.m.output("y");
    n.kinds();
    Graph& g = n.imported.graph;
    Diagnostics d;
    infer(g, d);
    name_multiples(g, d);
    ASSERT_TRUE(d.ok());
    EXPECT_EQ(shape_str(*g.value(g.inputs[0]).shape), "[batch, 8, 3*height, 3*width]");
    const Shape& y = *g.value(g.outputs[0]).shape;
    EXPECT_EQ(y[1], DimExpr(72));
    EXPECT_EQ(y[2].evaluate({{"3*height", 12}}), 4);
    EXPECT_TRUE(g.equalities.empty());
    EXPECT_EQ(d.warnings().size(), 2u);
  }
}

TEST(Importers, SpaceToDepthKnowsBothOrders) {
  for (const auto& [mode, want] :
       {std::pair("DCR", std::vector<float>{0, 4, 1, 5, 2, 6, 3, 7}), {"CRD", {0, 1, 2, 3, 4, 5, 6, 7}}}) {
    OneNode n(28);
    n.m.input("x", {"1", "2", "2", "2"});
    auto* node = n.m.node("SpaceToDepth", {"x"}, {"y"});
    set_int(node, "blocksize", 2);
    set_text(node, "mode", mode);
    n.m.output("y");
    n.kinds();
    Diagnostics d;
    infer(n.imported.graph, d);
    EXPECT_EQ(
        interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})})[0].to_float(),
        want)
        << mode;
  }
}

}  // namespace
}  // namespace edgeconv
