// Which layers are kept from rounding.
#include "convert/quantize/exact_layers.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

NodeId producer_of(const Graph& g, ValueId v) { return static_cast<NodeId>(g.producer(v) - g.nodes.data()); }

}  // namespace

TEST(ExactLayers, CastsToIntegersReachThroughViews) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8});
  const ValueId counted = b.node(OpKind::kLinear, {x, b.weights({8, 6}), kNone}, LinearAttrs{});
  const ValueId joined = b.node(OpKind::kConcat, {b.reshape(counted, {0, 2, 3}), b.reshape(counted, {0, 2, 3})}, AxisAttrs{1});
  b.output(b.node(OpKind::kCast, {joined}, CastAttrs{DType::kInt32}));
  const ValueId bent = b.unary(Unary::kRelu, b.node(OpKind::kLinear, {x, b.weights({8, 6}), kNone}, LinearAttrs{}));
  b.output(b.node(OpKind::kCast, {bent}, CastAttrs{DType::kInt64}));
  const ValueId real = b.node(OpKind::kLinear, {x, b.weights({8, 6}), kNone}, LinearAttrs{});
  b.output(b.node(OpKind::kCast, {real}, CastAttrs{DType::kFloat16}));
  finish(b.g);
  EXPECT_EQ(exact_layers(b.g), std::set<NodeId>{producer_of(b.g, counted)});
}

}  // namespace edgeconv::testing
