// Equalities of sizes that only the ranges of the dims decide.
#include <gtest/gtest.h>

#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

using Range = std::pair<int32_t, int32_t>;

ValueId sizes(GraphBuilder& b, std::vector<DimExpr> contents) {
  const ValueId v = b.g.add_value("sizes", DType::kInt64, Shape{static_cast<int64_t>(contents.size())});
  b.g.value(v).elements = std::move(contents);
  return v;
}

std::string refusal(const Graph& g, const std::map<std::string, int64_t>& requested = {},
                    ExitCode code = ExitCode::kUnsupported) {
  try {
    plan_dims(g, requested);
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), code);
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

bool mentions(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// ONNX clamps the end of a slice. The result then fits a tensor of S rows only up to 16.
TEST(SizeEqualities, SliceOfAFixedAxisLimitsTheDimThatMustEqualIt) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 4}), fixed = b.input("fixed", {B, 16, 4});
  const ValueId part = b.node(OpKind::kSlice, {fixed, b.ints({0}), sizes(b, {S}), b.ints({1})});
  b.output(b.add(x, part));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {{"batch", 2}}).range.at("seq"), Range(1, 16));
  EXPECT_TRUE(mentions(refusal(b.g, {{"seq", 20}}, ExitCode::kUsage), "up to 16"));
}

TEST(SizeEqualities, SliceBehindTheEndOfADynamicAxisIsClamped) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S}), other = b.input("other", {B, DimExpr::symbol("other")});
  (void)other;
  const ValueId part = b.node(OpKind::kSlice, {x, b.ints({0}), sizes(b, {DimExpr::symbol("other")}), b.ints({1})});
  b.output(part);
  b.output(other);
  finish(b.g);
  EXPECT_EQ((*b.g.value(part).shape)[1].evaluate({{"seq", 5}, {"other", 9}}), 5);
  EXPECT_EQ((*b.g.value(part).shape)[1].evaluate({{"seq", 5}, {"other", 3}}), 3);
}

TEST(SizeEqualities, ReshapeThatDividesForFewSizesIsExplained) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 8});
  b.output(b.reshape(x, {0, -1, 12}));
  finish(b.g);
  const std::string message = refusal(b.g, {{"seq", 32}, {"batch", 1}});
  EXPECT_TRUE(mentions(message, "Reshape") && mentions(message, "only where seq is a multiple of 3")) << message;
  EXPECT_TRUE(mentions(message, "pin it: --fix seq=30;")) << message;
  const std::string small = refusal(b.g, {{"seq", 2}, {"batch", 1}});
  EXPECT_TRUE(mentions(small, "hint: they are with seq = 3: give a larger maximum by --dim")) << small;
}

// No size of one dim suits all sizes of the other: both are to be pinned.
TEST(SizeEqualities, RefusalOffersSizesOfAllDimsThatDecide) {
  GraphBuilder b;
  const DimExpr other = DimExpr::symbol("other");
  const ValueId x = b.input("x", {S, other});
  b.output(b.reshape(b.reshape(x, {-1}), {-1, 12}));
  finish(b.g);
  const std::string message = refusal(b.g, {{"seq", 9}, {"other", 10}});
  EXPECT_TRUE(mentions(message, "pin it: --fix other=8 --fix seq=9;")) << message;
}

// Lines of text 8 to 15 high become one row of any width; of all heights only a width of 1 would fit, which nobody has.
TEST(SizeEqualities, OfTwoDimsTheOneIsNarrowedThatKeepsMoreOfItsSizes) {
  GraphBuilder b;
  const DimExpr height = DimExpr::symbol("z_height"), width = DimExpr::symbol("a_width");
  const ValueId line = b.input("line", {height, width}), rows = b.input("rows", {height.floor_div(8), width});
  b.output(line);
  b.output(b.node(OpKind::kReshape, {rows, sizes(b, {width})}, ReshapeAttrs{}));
  finish(b.g);
  for (const auto& [most, from, to] : {std::tuple(12, 8, 12), {15, 8, 15}}) {
    const auto range = plan_dims(b.g, {{"z_height", most}, {"a_width", 320}}).range;
    EXPECT_EQ(range.at("z_height"), Range(from, to));
    EXPECT_EQ(range.at("a_width"), Range(1, 320));
  }
  EXPECT_TRUE(mentions(refusal(b.g, {{"z_height", 20}, {"a_width", 320}}, ExitCode::kUsage), "--dim z_height=20: the sizes inside the model fit together up to 15"));
}

// One offer that settles all of them, not one for each that the next one refuses.
TEST(SizeEqualities, RefusalOffersOneSizeForAllEqualitiesOfADim) {
  GraphBuilder b;
  const ValueId x = b.input("x", {S});
  b.output(b.reshape(x, {-1, 4}));
  b.output(b.reshape(x, {-1, 6}));
  finish(b.g);
  const std::string message = refusal(b.g, {{"seq", 32}});
  EXPECT_TRUE(mentions(message, "pin it: --fix seq=24;")) << message;
}

// Samples behind the first 240, in rows of 160: 80 samples leave nothing, which divides too, but no size below 240 does otherwise.
TEST(SizeEqualities, ASizeThatHoldsAloneFarBelowTheOthersIsLeftOut) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S});
  const DimExpr whole = S - (S - DimExpr(400)).mod(160);
  const ValueId part = b.node(OpKind::kSlice, {x, b.ints({240}), sizes(b, {whole}), b.ints({1})});
  b.output(b.reshape(part, {0, -1, 160}));
  finish(b.g);
  const auto range = plan_dims(b.g, {{"seq", 4000}}).range.at("seq");
  EXPECT_EQ(range.second, 4000);
  EXPECT_GE(range.first, 240);
  EXPECT_LE(range.first, 400);
}

// A map is halved, doubled and added to what it was: a U-Net.
Graph halved_and_doubled(const std::string& height) {
  GraphBuilder b;
  const DimExpr h = DimExpr::symbol(height);
  const ValueId x = b.input("x", {B, h, 4}), half = b.input("half", {B, h.floor_div(2), 4});
  const ValueId twice = b.node(OpKind::kConcat, {half, half}, AxisAttrs{1});
  b.output(b.add(x, twice));
  finish(b.g);
  return b.g;
}

TEST(SizeEqualities, DimsThatAreCalledMultiplesAreSuch) {
  const Graph g = halved_and_doubled("2*h");
  EXPECT_EQ(plan_dims(g, {{"2*h", 32}}).range.at("2*h"), Range(2, 32));
  EXPECT_TRUE(mentions(refusal(g, {{"2*h", 33}}, ExitCode::kUsage), "--dim 2*h=33: every size of it is a multiple of 2; give 34"));
}

TEST(SizeEqualities, RefusalSaysOfWhatSizesMustBeMultiples) {
  const std::string message = refusal(halved_and_doubled("h"), {{"h", 33}});
  EXPECT_TRUE(mentions(message, "only where h is a multiple of 2")) << message;
  EXPECT_TRUE(mentions(message, "pin it: --fix h=32; or re-export with dynamo=True and the axis as 2*torch.export.Dim(..)")) << message;
}

// A sequence that the model pads to whole windows divides for every size, though no algebra shows it.
TEST(SizeEqualities, WholeWindowsHoldForAllSizes) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, S, 8});
  const DimExpr missing = (DimExpr(4) - S.mod(4)).mod(4);
  const ValueId padded = b.node(OpKind::kPad, {x, sizes(b, {0, 0, 0, 0, missing, 0})}, PadAttrs{});
  b.output(b.reshape(padded, {0, -1, 4, 8}));
  finish(b.g);
  EXPECT_EQ(plan_dims(b.g, {{"seq", 32}}).range.at("seq"), Range(1, 32));
}

}  // namespace

}  // namespace edgeconv::testing
