// Order, dead code and uses of the graph; the grouped list of problems.
#include "convert/ir/graph.h"

#include <gtest/gtest.h>

#include "convert/ir/diagnostics.h"

namespace edgeconv {
namespace {

const Origin kOrigin{"n", "Op", ""};

ValueId relu(Graph& g, ValueId x) { return g.add_node(OpKind::kUnary, {x}, UnaryAttrs{0, 0}, kOrigin); }

TEST(Graph, SortsNodesAddedOutOfOrder) {
  Graph g;
  const ValueId x = g.add_value("x");
  g.inputs = {x};
  const ValueId late = g.add_value("late");
  const ValueId y = relu(g, late);
  g.add_node_with_outputs(OpKind::kIdentity, {x}, {late}, {}, kOrigin);
  g.outputs = {y};
  ASSERT_TRUE(g.sort());
  EXPECT_EQ(g.nodes[0].kind, OpKind::kIdentity);
  EXPECT_EQ(g.producer(y), &g.nodes[1]);
  EXPECT_EQ(g.producer(x), nullptr);
}

TEST(Graph, FindsCycles) {
  Graph g;
  const ValueId a = g.add_value("a");
  const ValueId b = relu(g, a);
  g.add_node_with_outputs(OpKind::kIdentity, {b}, {a}, {}, kOrigin);
  g.outputs = {b};
  EXPECT_FALSE(g.sort());
}

TEST(Graph, RemovesWhatNobodyReads) {
  Graph g;
  const ValueId x = g.add_value("x");
  const ValueId y = relu(g, x);
  relu(g, relu(g, relu(g, x)));
  g.outputs = {y};
  EXPECT_EQ(g.remove_dead(), 3);
  EXPECT_TRUE(g.sort());
  EXPECT_EQ(g.nodes.size(), 1u);
}

TEST(Graph, LongChainsNeedNoStack) {
  Graph g;
  ValueId v = g.add_value("x");
  for (int i = 0; i < 200000; ++i) v = relu(g, v);
  EXPECT_TRUE(g.sort());
  EXPECT_EQ(g.remove_dead(), 200000);
}

TEST(Graph, TracksUsesAndSmallIntegers) {
  Graph g;
  const ValueId c = g.add_constant("c", Tensor::ints({2, 3}));
  g.outputs = {relu(g, c), c};
  EXPECT_TRUE(g.is_output(c));
  ASSERT_TRUE(g.value(c).elements.has_value());
  EXPECT_EQ((*g.value(c).elements)[1], DimExpr(3));
  EXPECT_EQ(g.users()[static_cast<size_t>(c)].size(), 1u);
}

TEST(Diagnostics, GroupsProblemsByOperatorAndReason) {
  Diagnostics d;
  d.set_node_count(10);
  d.unsupported({"ai.onnx::NonZero(13)", "/pool/NonZero", "", "depends on data", "use torch.where"});
  d.unsupported({"my.ops::Inverse2", "/head\x1b[31m", "[1, 64]", "custom domain: no definition in the file", ""});
  d.unsupported({"ai.onnx::NonZero(13)", "/pool/NonZero_1", "", "depends on data", "use torch.where"});
  try {
    d.check();
    FAIL();
  } catch (const FatalError& e) {
    const std::string s = e.what();
    EXPECT_EQ(e.code(), ExitCode::kUnsupported);
    EXPECT_NE(s.find("2 operators are not supported (3 nodes)"), std::string::npos) << s;
    EXPECT_NE(s.find("ai.onnx::NonZero(13)  x2  first: /pool/NonZero"), std::string::npos) << s;
    EXPECT_NE(s.find("hint: use torch.where"), std::string::npos) << s;
    EXPECT_NE(s.find("7 of 10 nodes"), std::string::npos) << s;
    EXPECT_EQ(s.find('\x1b'), std::string::npos);
  }
  d.malformed("broken");
  try {
    d.check();
    FAIL();
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kMalformed);
  }
}

TEST(Diagnostics, QuietWhenThereIsNothingToSay) {
  Diagnostics d;
  d.warn("same");
  d.warn("same");
  EXPECT_EQ(d.warnings().size(), 1u);
  EXPECT_NO_THROW(d.check());
}

}  // namespace
}  // namespace edgeconv
