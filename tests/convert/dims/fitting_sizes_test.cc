// The smallest sizes of dims that leave every operator something to work on.
#include "convert/dims/fitting_sizes.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

// ceil((2 - 3) / 2) + 1 is 1, so that inputs were made up with 2 rows for a window of 3, which the reference refuses (exit 4).
TEST(FittingSizes, APoolThatRoundsUpNeedsItsFirstWindow) {
  for (const bool rounds_up : {false, true}) {
    GraphBuilder b;
    ConvAttrs a;
    a.kernel = {3, 1};
    a.strides = {2, 1};
    a.ceil_mode = rounds_up;
    b.output(b.node(OpKind::kMaxPool, {b.input("x", {1, 4, DimExpr::symbol("rows"), 8})}, a));
    finish(b.g);
    DimPlan plan = plan_dims(b.g, {{"rows", 16}});
    EXPECT_EQ(plan.range.at("rows").first, 3);
    // A fused graph, which does not tell it any more.
    GraphBuilder fused;
    fused.output(fused.unary(Unary::kRelu, fused.input("x", {1, 4, DimExpr::symbol("rows"), 8})));
    finish(fused.g);
    find_minima(fused.g, plan);
    EXPECT_EQ(plan.range.at("rows").first, rounds_up ? 3 : 1);
  }
}

}  // namespace

}  // namespace edgeconv::testing
