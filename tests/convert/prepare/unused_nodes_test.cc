// Nodes that no output needs: files hold some, and runtimes do not run them.
#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "convert/prepare/prepare.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

// A convolution of 9 rows that nobody reads: inputs were made up with 5, on which the reference could not compute it (exit 4).
TEST(UnusedNodes, AskForNoSizesAndAreNotComputed) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 1, DimExpr::symbol("rows"), 8});
  ConvAttrs a;
  a.kernel = {9, 1};
  b.node(OpKind::kConv, {x, b.weights({4, 1, 9, 1})}, a);
  b.output(b.unary(Unary::kRelu, x));
  ImportedModel imported;
  imported.graph = std::move(b.g);
  Diagnostics d;
  const PreparedModel m = prepare_model(std::move(imported), {}, d);
  for (const Node& n : m.graph.nodes) EXPECT_TRUE(n.dead || n.kind != OpKind::kConv);
  EXPECT_EQ(plan_dims(m.graph, {{"rows", 16}}).range.at("rows").first, 1);
}

}  // namespace

}  // namespace edgeconv::testing
