// Made-up inputs: the same in every run, others for another seed, of the size that a network expects.
#include "convert/inputs/synthetic_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "convert/dims/dims.h"
#include "convert/inputs/affordable_inputs.h"
#include "convert/inputs/signals.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

TEST(SyntheticInputs, AreFixedAndFit) {
  GraphBuilder b;
  b.output(b.unary(Unary::kTanh, b.input("x", {DimExpr::symbol("batch"), 8})));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {});
  const auto inputs = synthetic_inputs(b.g, plan, {}), again = synthetic_inputs(b.g, plan, {}),
             other = synthetic_inputs(b.g, plan, {32, 32, false, 2});
  EXPECT_TRUE(inputs[0].same_bytes(again[0]));
  EXPECT_FALSE(inputs[0].same_bytes(other[0]));
  double sum = 0, squares = 0;
  for (float v : inputs[0].to_float()) {
    sum += v;
    squares += double{v} * v;
  }
  const double n = static_cast<double>(inputs[0].elements());
  EXPECT_NEAR(sum / n, 0, 0.1);
  EXPECT_NEAR(squares / n, 1, 0.15);
}

// The edges of a graph name its nodes, and each node its graph: made-up numbers lie within what there is.
TEST(SyntheticInputs, IndicesOfComputedRowsLieWithinThem) {
  GraphBuilder b;
  const DimExpr nodes = DimExpr::symbol("nodes"), edges = DimExpr::symbol("edges"), graphs = DimExpr::symbol("graphs");
  const ValueId x = b.input("x", {nodes, 4}), slots = b.input("slots", {graphs, 1});
  const ValueId edge = b.input("edge", {2, edges}, DType::kInt64), of = b.input("of", {nodes}, DType::kInt64);
  const ValueId from = b.node(OpKind::kGather, {edge, b.ints({0})}, AxisAttrs{0});
  const ValueId sent = b.node(OpKind::kGather, {b.unary(Unary::kTanh, x), b.node(OpKind::kSqueeze, {from, b.ints({0})})}, AxisAttrs{0});
  const ValueId column = b.node(OpKind::kUnsqueeze, {of, b.ints({1})});
  const ValueId sums = b.node(OpKind::kScatterElements, {slots, column, b.node(OpKind::kSlice, {x, b.ints({0}), b.ints({1}), b.ints({1})})},
                              ScatterAttrs{0, 1});
  b.output(sent), b.output(sums);
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"nodes", 16}, {"edges", 64}, {"graphs", 4}});
  for (uint64_t seed : {1, 2, 3}) {
    const auto inputs = synthetic_inputs(b.g, plan, {32, 3, false, seed});
    const int64_t rows = inputs[0].dims()[0], groups = inputs[1].dims()[0];
    for (int64_t n : inputs[2].to_int64()) EXPECT_TRUE(n >= 0 && n < rows) << n;
    const std::vector<int64_t> groups_of = inputs[3].to_int64();
    for (int64_t n : groups_of) EXPECT_TRUE(n >= 0 && n < groups) << n;
    EXPECT_TRUE(std::is_sorted(groups_of.begin(), groups_of.end()));
    EXPECT_NO_THROW(interpret(b.g, inputs));
  }
}

// torch's recurrent layers have time first; lengths beyond it were made up, and the model was said to be wrong.
TEST(SyntheticInputs, LengthsOfSequencesEndWithThem) {
  for (const bool batch_first : {false, true})
    for (const bool fixed : {false, true}) {
      GraphBuilder b;
      const DimExpr time = fixed ? DimExpr(5) : DimExpr::symbol("time"), batch = DimExpr::symbol("batch");
      const ValueId x = b.input("x", batch_first ? Shape{batch, time, 3} : Shape{time, batch, 3}), lengths = b.input("lengths", {batch}, DType::kInt64);
      RnnAttrs layer;
      layer.kind = "GRU", layer.hidden = 2, layer.layout = batch_first;
      const ValueId w = b.weights({1, 6, 3}), r = b.weights({1, 6, 2});
      b.output(b.node(OpKind::kRnn, {x, w, r, kNone, b.node(OpKind::kCast, {lengths}, CastAttrs{DType::kInt32})}, layer));
      finish(b.g);
      const DimPlan plan = plan_dims(b.g, {});
      for (const int64_t tokens : {3, 32, 48})
        for (const bool ragged : {false, true}) {
          const auto inputs = synthetic_inputs(b.g, plan, {16, tokens, ragged, 1});
          const int64_t steps = inputs[0].dims()[batch_first ? 1 : 0];
          const std::vector<int64_t> counted = inputs[1].to_int64();
          EXPECT_EQ(*std::max_element(counted.begin(), counted.end()), steps);
          EXPECT_GE(*std::min_element(counted.begin(), counted.end()), 1);
          EXPECT_NO_THROW(interpret(b.g, inputs));
        }
    }
}

// All were 0, as types of tokens: a conversion was judged by one category of each kind.
TEST(SyntheticInputs, CategoriesOfFewValuesVary) {
  GraphBuilder b;
  const DimExpr batch = DimExpr::symbol("batch"), time = DimExpr::symbol("time");
  const ValueId day = b.input("day", {batch}, DType::kInt64), columns = b.input("columns", {batch, 3}, DType::kInt64),
                types = b.input("types", {batch, time}, DType::kInt64);
  const ValueId column = b.node(OpKind::kGather, {columns, b.ints({1})}, AxisAttrs{1});
  for (const ValueId index : {day, column, types}) b.output(b.node(OpKind::kGather, {b.weights({12, 4}), index}, AxisAttrs{0}));
  finish(b.g);
  const auto inputs = synthetic_inputs(b.g, plan_dims(b.g, {}), {64, 32, false, 1});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int64_t> made = inputs[i].to_int64();
    EXPECT_EQ(*std::max_element(made.begin(), made.end()), i == 2 ? 0 : 11) << i;
  }
}

// A convolution of stride 2 in front, or a frame more or less.
TEST(SyntheticInputs, LengthsBehindArithmeticEndWithTheirSequences) {
  namespace binary = ert::params::binary;
  struct Case {
    const char* what;
    decltype(BinaryAttrs::kind) kind;
    int64_t by, most;
  };
  for (const Case& c : {Case{"length + 2", binary::kAdd, 2, 3}, Case{"length - 2", binary::kSub, 2, 7}, Case{"length / 2", binary::kDiv, 2, 11},
                        Case{"length * 2", binary::kMul, 2, 2}}) {
    GraphBuilder b;
    const DimExpr batch = DimExpr::symbol("batch");
    const ValueId x = b.input("x", {5, batch, 3}), lengths = b.input("lengths", {batch}, DType::kInt64);
    const ValueId steps = b.node(OpKind::kBinary, {lengths, b.constant(Tensor::of<int64_t>(DType::kInt64, {1}, {c.by}))}, BinaryAttrs{c.kind});
    RnnAttrs layer;
    layer.kind = "GRU", layer.hidden = 2;
    b.output(b.node(OpKind::kRnn, {x, b.weights({1, 6, 3}), b.weights({1, 6, 2}), kNone, b.node(OpKind::kCast, {steps}, CastAttrs{DType::kInt32})}, layer));
    finish(b.g);
    const auto inputs = synthetic_inputs(b.g, plan_dims(b.g, {}), {4, 32, false, 1});
    const std::vector<int64_t> made = inputs[1].to_int64();
    EXPECT_EQ(*std::max_element(made.begin(), made.end()), c.most) << c.what;
    EXPECT_NO_THROW(interpret(b.g, inputs)) << c.what;
  }
}

// TensorScatter writes rows behind a first one: positions were made up from which they left the cache.
TEST(SyntheticInputs, FirstPositionsLeaveRoomForWhatIsWrittenBehindThem) {
  GraphBuilder b;
  const DimExpr batch = DimExpr::symbol("batch"), slots = DimExpr::symbol("slots");
  const ValueId cache = b.input("cache", {batch, slots, 3}), rows = b.input("rows", {batch, 4, 3});
  const ValueId first = b.input("first", {batch}, DType::kInt64);
  const auto number = [&](int64_t n) { return b.constant(Tensor::scalar(n)); };
  const ValueId behind = b.node(OpKind::kUnsqueeze, {b.node(OpKind::kRange, {number(0), number(4), number(1)}), b.ints({0, 2})});
  const ValueId positions = b.add(b.node(OpKind::kUnsqueeze, {first, b.ints({1, 2})}), behind);
  const ValueId indices = b.node(OpKind::kExpand, {positions, b.node(OpKind::kShape, {rows}, ShapeAttrs{0, INT64_MAX})});
  b.output(b.node(OpKind::kScatterElements, {cache, indices, rows}, ScatterAttrs{1, 0}));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {{"batch", 4}, {"slots", 8}});
  for (uint64_t seed : {1, 2, 3}) {
    const auto inputs = synthetic_inputs(b.g, plan, {4, 6, false, seed, true});
    for (int64_t n : inputs[2].to_int64()) EXPECT_TRUE(n >= 0 && n + 4 <= inputs[0].dims()[1]) << n;
    EXPECT_NO_THROW(interpret(b.g, inputs));
  }
}

double loudest(const Tensor& t, int64_t row) {
  double most = 0;
  const int64_t width = t.dims()[1];
  for (int64_t i = 0; i < width; ++i)
    most = std::max<double>(most, std::fabs(t.as<float>()[static_cast<size_t>(row * width + i)]));
  return most;
}

Graph front_end(bool states) {
  GraphBuilder b;
  const DimExpr batch = DimExpr::symbol("batch");
  const ValueId x = b.input("audio", {batch, states ? DimExpr(512) : DimExpr::symbol("samples")});
  ValueId y = b.unary(Unary::kTanh, x);
  if (states) {
    const ValueId h = b.input("h", {batch, 1});
    y = b.add(b.mean(y), h);
    b.g.value(y).name = "hn";
  }
  b.output(y);
  finish(b.g);
  return b.g;
}

TEST(SyntheticInputs, SoundIsLoudAndQuiet) {
  const Graph g = front_end(false);
  const DimPlan plan = plan_dims(g, {{"samples", 16000}});
  const Tensor x = synthetic_inputs(g, plan, {8, 32, false, 101, true})[0];
  EXPECT_GE(x.dims()[1], 8000) << "a syllable or more";
  double most = 0, least = 1;
  for (int64_t r = 0; r < x.dims()[0]; ++r) most = std::max(most, loudest(x, r)), least = std::min(least, loudest(x, r));
  EXPECT_GT(most, 0.3);
  EXPECT_LE(most, 1);
  EXPECT_LT(least, 0.1);
  for (float v : x.as<float>()) ASSERT_EQ(v * 32768, std::floor(v * 32768)) << "steps of 16 bits";
}

// A checksum of the samples: the same on every host, whatever its libm is.
TEST(SyntheticInputs, SoundIsTheSameOnEveryHost) {
  Random random(1);
  uint32_t sum = 0;
  for (float v : sound(20000, 0, random)) sum = sum * 31 + static_cast<uint32_t>(static_cast<int32_t>(v * 32768));
  EXPECT_EQ(sum, 3554373326u);
}

TEST(SyntheticInputs, StepsGoOnWithTheModelsOwnStates) {
  const Graph g = front_end(true);
  const DimPlan plan = plan_dims(g, {});
  ASSERT_TRUE(has_states(plan));
  const auto sets = comparison_inputs(g, plan);
  ASSERT_GE(sets.size(), 50u);
  for (float v : sets[0][1].as<float>()) EXPECT_EQ(v, 0) << "the first state";
  const auto after = interpret(g, sets[7], {Backend::kCanonical, {}});
  EXPECT_TRUE(after[0].same_bytes(sets[8][1]));
  EXPECT_FALSE(sets[7][0].same_bytes(sets[8][0]));
}

// A row for a text: nine of them had none that the classifier was undecided on.
TEST(SyntheticInputs, ManyTextsWhereEachGivesOneRow) {
  for (const bool pooled : {true, false}) {
    GraphBuilder b;
    const ValueId ids = b.input("ids", {DimExpr::symbol("batch"), DimExpr::symbol("tokens")}, DType::kInt64);
    const ValueId words = b.node(OpKind::kGather, {b.weights({100, 4}), ids}, AxisAttrs{0});
    b.output(pooled ? b.node(OpKind::kReduce, {words}, ReduceAttrs{reduce::kMean, {1}, false, false}) : words);
    finish(b.g);
    int64_t texts = 0, tokens = 0;
    for (const auto& set : comparison_inputs(b.g, plan_dims(b.g, {}))) {
      texts += set[0].dims()[0];
      tokens += set[0].elements();
    }
    EXPECT_EQ(pooled ? texts >= 300 : tokens >= 200, true) << texts << " " << tokens;
    EXPECT_EQ(texts < 50, !pooled) << "a row for each token is evidence enough";
  }
}

// Keras feeds ids as floats: about standard normal ones would all be the first rows of the table.
TEST(SyntheticInputs, IdsInFloatsAreIds) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 21});
  const ValueId ids = b.node(OpKind::kCast, {x}, CastAttrs{DType::kInt32});
  b.output(b.node(OpKind::kGather, {b.weights({100, 4}), ids}, AxisAttrs{0}));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {});
  const Tensor t = synthetic_inputs(b.g, plan, {})[0];
  EXPECT_EQ(t.dtype(), DType::kFloat);
  double most = 0;
  for (float v : t.as<float>()) {
    ASSERT_EQ(v, std::floor(v));
    ASSERT_GE(v, 0);
    most = std::max<double>(most, v);
  }
  EXPECT_LT(most, 100);
  EXPECT_GT(most, 80);
}

// A line of text was 40 pixels long and 5: nothing of it is decided as in one of 320.
TEST(SyntheticInputs, PicturesOfAnySizeAreAsLargeAsPictures) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 3, 48, DimExpr::symbol("width")});
  b.output(b.node(OpKind::kConv, {x, b.weights({8, 3, 3, 3})}, ConvAttrs{}));
  finish(b.g);
  for (const auto& [most, want] :
       {std::pair<int64_t, int64_t>(640, 320), std::pair<int64_t, int64_t>(100, 96), std::pair<int64_t, int64_t>(20, 20)}) {
    const DimPlan plan = plan_dims(b.g, {{"width", most}});
    EXPECT_EQ(synthetic_inputs(b.g, plan, {4, 32, false, 101, true})[0].dims()[3], want);
    EXPECT_LE(synthetic_inputs(b.g, plan, {1, 5, false, 101, true})[0].dims()[3], want);
  }
}

// Where only the number of pictures is open a set had 256 of them, as if each were a row of an MLP: a ResNet-18 took 670 MB.
TEST(SyntheticInputs, PicturesAreFewWhereTheirNumberIsOpen) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 3, 64, 64});
  b.output(b.node(OpKind::kConv, {x, b.weights({8, 3, 3, 3})}, ConvAttrs{}));
  finish(b.g);
  const DimPlan plan = plan_dims(b.g, {});
  EXPECT_EQ(synthetic_inputs(b.g, plan, {})[0].dims()[0], 12);
  EXPECT_EQ(synthetic_inputs(b.g, plan, {4, 32, false, 101, true})[0].dims()[0], 4);
}

}  // namespace

}  // namespace edgeconv::testing
