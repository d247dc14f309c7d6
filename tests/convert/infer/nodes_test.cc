// Shapes of single nodes that the models of the fixture set do not cover, and of the fused kinds.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
using edgeconv::testing::S;

std::string shape_of(GraphBuilder& b, ValueId v) {
  Diagnostics d;
  b.output(v);
  infer(b.g, d);
  if (!d.ok()) return "problem: " + d.problems()[0].reason;
  return b.g.value(v).shape ? shape_str(*b.g.value(v).shape) : "unknown";
}

TEST(InferNode, Conv1dAlongFrames) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, 4, S});
  ConvAttrs a;
  a.kernel = {3}, a.strides = {2}, a.pads = {1, 1}, a.dilations = {1};
  const ValueId y = b.node(OpKind::kConv, {x, b.floats({6, 4, 3}, std::vector<float>(72, 0.0f))}, a);
  shape_of(b, y);
  EXPECT_EQ((*b.g.value(y).shape)[2].evaluate({{"seq", 7}}), 4);
  EXPECT_EQ((*b.g.value(y).shape)[2].evaluate({{"seq", 8}}), 4);
}

TEST(InferNode, LstmGivesStatesAndDirections) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {S, B, 3});
  RnnAttrs a;
  a.kind = "LSTM", a.hidden = 2, a.direction = "bidirectional";
  const auto y =
      b.nodes(OpKind::kRnn, {x, b.floats({2, 8, 3}, std::vector<float>(48)), b.floats({2, 8, 2}, std::vector<float>(32))}, 3, a);
  EXPECT_EQ(shape_of(b, y[0]), "[seq, 2, batch, 2]");
  EXPECT_EQ(shape_str(*b.g.value(y[2]).shape), "[2, batch, 2]");
}

TEST(InferNode, EinsumWithEllipsis) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, 4, S, 8}), y = b.input("y", DType::kFloat, {B, 4, S, 8});
  EXPECT_EQ(shape_of(b, b.node(OpKind::kEinsum, {x, y}, EinsumAttrs{"...id,...jd->...ij"})), "[batch, 4, seq, seq]");
}

// Updates of dims of their own had left these out of the plan: "DIMS: a dim is outside its range".
TEST(InferNode, SizesOfUpdatesFollowFromDataAndIndices) {
  const DimExpr rows = DimExpr::symbol("rows"), count = DimExpr::symbol("count");
  GraphBuilder b;
  const ValueId data = b.input("data", DType::kFloat, {B, 4, S}), at = b.input("at", DType::kInt64, {rows, count}),
                updates = b.input("updates", DType::kFloat, {DimExpr::symbol("u0"), DimExpr::symbol("u1")});
  EXPECT_EQ(shape_of(b, b.node(OpKind::kScatterND, {data, at, updates}, ScatterAttrs{})), "[batch, 4, seq]");
  EXPECT_EQ(shape_str(*b.g.value(at).shape), "[rows, 2]");
  EXPECT_EQ(shape_str(*b.g.value(updates).shape), "[rows, seq]");

  GraphBuilder e;
  const ValueId x = e.input("x", DType::kFloat, {B, S}), i = e.input("i", DType::kInt64, {B, rows}),
                u = e.input("u", DType::kFloat, {DimExpr::symbol("u0"), DimExpr::symbol("u1")});
  EXPECT_EQ(shape_of(e, e.node(OpKind::kScatterElements, {x, i, u}, ScatterAttrs{1, 0})), "[batch, seq]");
  EXPECT_EQ(shape_str(*e.g.value(u).shape), "[batch, rows]");
}

TEST(InferNode, FusedKinds) {
  GraphBuilder b;
  const ValueId ids = b.input("ids", DType::kInt64, {B, S}), w = b.input("w", DType::kFloat, {B, S});
  const ValueId e = b.node(OpKind::kEmbedding, {ids, b.floats({5, 8}, std::vector<float>(40))});
  const ValueId l = b.node(
      OpKind::kLinear, {e, b.floats({8, 24}, std::vector<float>(192)), b.floats({24}, std::vector<float>(24))}, LinearAttrs{});
  const ValueId a = b.node(OpKind::kAttention, {l, l, l, kNone, kNone}, AttentionAttrs{2, 2, 4, 4, 0.5f, false, 0, 8, 16});
  const auto n = b.nodes(OpKind::kNorm, {a, e, b.floats({8}, std::vector<float>(8, 1.0f)), kNone}, 2, FusedNormAttrs{});
  const ValueId p = b.node(OpKind::kMeanPool, {n[0], w}, PoolAttrs{});
  const ValueId y = b.node(OpKind::kL2Normalize, {p}, PoolAttrs{});
  EXPECT_EQ(shape_of(b, y), "[batch, 8]");
  EXPECT_EQ(shape_str(*b.g.value(a).shape), "[batch, seq, 8]");
  EXPECT_EQ(shape_str(*b.g.value(n[1]).shape), "[batch, seq, 8]");
}

TEST(InferNode, WeightsOfDequantizeStayIntegers) {
  GraphBuilder b;
  const ValueId q = b.g.add_constant("q", Tensor::of<int8_t>(DType::kInt8, {2, 2}, {1, 2, 3, 4}));
  const ValueId y = b.node(OpKind::kDequantizeLinear, {q, b.scalar(0.5f)}, QuantAttrs{});
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_FALSE(b.g.value(y).is_constant());
  EXPECT_EQ(b.g.nodes.size(), 1u);
}

TEST(InferNode, SmallConstantsAreNotBlownUp) {
  GraphBuilder b;
  const ValueId y = b.node(OpKind::kExpand, {b.scalar(1.0f), b.ints({8192, 8192})});
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_FALSE(b.g.value(y).is_constant());
  EXPECT_EQ(shape_str(*b.g.value(y).shape), "[8192, 8192]");
}

// if (rank of x > 1) -x else x: the rank is known, so the branch is inlined and the output keeps its name.
TEST(InferNode, DecidedIfIsInlined) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B, S});
  const ValueId rank = b.node(OpKind::kSize, {b.node(OpKind::kShape, {x}, ShapeAttrs{})});
  const ValueId condition = b.node(OpKind::kBinary, {rank, b.scalar(int64_t{1})}, BinaryAttrs{ert::params::binary::kGreater});
  SubgraphAttrs bodies;
  for (const bool negate : {true, false}) {
    GraphBuilder body;
    const ValueId in = body.input("captured", DType::kUndefined, {});
    body.g.value(in).shape.reset();
    body.output(negate ? body.node(OpKind::kUnary, {in}, UnaryAttrs{ert::params::unary::kNeg, 0}) : in);
    bodies.bodies.push_back(std::make_shared<Graph>(body.g));
  }
  const ValueId y = b.node(OpKind::kIf, {condition, x}, bodies);
  b.g.value(y).name = "y";
  EXPECT_EQ(shape_of(b, y), "[batch, seq]");
  EXPECT_EQ(b.g.value(b.g.outputs[0]).name, "y");
  for (const Node& n : b.g.nodes) EXPECT_NE(n.kind, OpKind::kIf);
}

// Three trips of a loop that doubles x and stacks the intermediate values.
TEST(InferNode, CountedLoopIsUnrolled) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {B});
  GraphBuilder body;
  body.input("i", DType::kInt64, {});
  const ValueId go = body.input("go", DType::kBool, {});
  const ValueId state = body.input("state", DType::kFloat, {B});
  const ValueId next = body.node(OpKind::kBinary, {state, state}, BinaryAttrs{ert::params::binary::kAdd});
  body.output(body.node(OpKind::kIdentity, {go})), body.output(next), body.output(next);
  SubgraphAttrs a;
  a.bodies.push_back(std::make_shared<Graph>(body.g));
  a.carried = 1;
  const auto y = b.nodes(OpKind::kLoop, {b.scalar(int64_t{3}), kNone, x}, 2, a);
  b.output(y[0]);
  EXPECT_EQ(shape_of(b, y[1]), "[3, batch]");
  for (const Node& n : b.g.nodes) EXPECT_NE(n.kind, OpKind::kLoop);
}

// `while i < 3`, with i the iteration number, or a counter that the body carries: the exporter gives no trip count, or the largest number.
TEST(InferNode, LoopThatItsConditionEndsIsUnrolled) {
  for (const bool counter : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {B});
    GraphBuilder body;
    const ValueId iteration = body.input("i", DType::kInt64, {});
    body.input("go", DType::kBool, {});
    const ValueId state = body.input("state", DType::kFloat, {B});
    const ValueId carried = body.input("count", DType::kInt64, {});
    const ValueId more = body.node(OpKind::kBinary, {carried, body.scalar(int64_t{1})}, BinaryAttrs{ert::params::binary::kAdd});
    const ValueId next = body.node(OpKind::kBinary, {state, state}, BinaryAttrs{ert::params::binary::kAdd});
    const ValueId go =
        counter ? body.node(OpKind::kBinary, {more, body.scalar(int64_t{3})}, BinaryAttrs{ert::params::binary::kLess})
                : body.node(OpKind::kBinary, {iteration, body.scalar(int64_t{2})}, BinaryAttrs{ert::params::binary::kLess});
    body.output(go), body.output(next), body.output(more), body.output(next);
    SubgraphAttrs a;
    a.bodies.push_back(std::make_shared<Graph>(body.g));
    a.carried = 2;
    const ValueId trips = counter ? b.scalar(int64_t{INT64_MAX}) : kNone;
    const auto y = b.nodes(OpKind::kLoop, {trips, kNone, x, b.scalar(int64_t{0})}, 3, a);
    b.output(y[0]);
    EXPECT_EQ(shape_of(b, y[2]), "[3, batch]");
    for (const Node& n : b.g.nodes) EXPECT_NE(n.kind, OpKind::kLoop);
  }
}

}  // namespace
}  // namespace edgeconv_test
