// Chains of ops that run in bands: which are made, that they need less memory, and that no bit changes.
#include <gtest/gtest.h>

#include "convert/program/row_bands.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

using ert::params::OpCode;

constexpr int64_t kNarrow = 8;

// Blocks of MobileNets over images of a dynamic batch, height and width.
struct BandNet {
  GraphBuilder b;
  ValueId x = b.input("x", {DimExpr::symbol("batch"), DimExpr::symbol("height"), 12, kNarrow});
  std::map<std::string, int64_t> dims = {{"batch", 3}, {"height", 40}};

  ValueId pointwise(ValueId v, int64_t from, int64_t to) {
    return b.node(OpKind::kLinear, {v, b.weights({from, to}), b.weights({to})}, LinearAttrs{static_cast<int>(Unary::kRelu)});
  }
  ValueId depthwise(ValueId v, int64_t channels, int64_t stride) {
    DepthwiseConvAttrs a;
    a.window = {{3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}};
    return b.node(OpKind::kDepthwiseConv, {v, b.weights({9, channels}), b.weights({channels})}, a);
  }
  ValueId block(ValueId v, int64_t stride) {
    return pointwise(depthwise(pointwise(v, kNarrow, 6 * kNarrow), 6 * kNarrow, stride), 6 * kNarrow, kNarrow);
  }
  TargetProgram program() {
    finish(b.g);
    LowerOptions options = lower_options(plan_dims(b.g, dims));
    options.plan = int8_plan(b.g);
    Diagnostics d;
    return build_program(b.g, options, d);
  }
};

int chains(const TargetProgram& p) {
  return static_cast<int>(
      std::count_if(p.ops.begin(), p.ops.end(), [](const TargetOp& o) { return o.code == OpCode::kRowBands; }));
}

Tensor band_images(int64_t batch, int64_t height) {
  std::vector<float> v;
  for (int64_t i = 0; i < batch * height * 12 * kNarrow; ++i) v.push_back(static_cast<float>((i * 7919) % 1009) / 500.0f - 1.0f);
  return Tensor::of<float>(DType::kFloat, {batch, height, 12, kNarrow}, v);
}

std::vector<float> run_bands(const TargetProgram& p, int64_t batch, int64_t height) {
  const Tensor blob = write_blob(p, {"p", "s", "{}", 0, {}});
  return BlobRunner(blob.data(), blob.bytes()).run({band_images(batch, height)})[0].to_float();
}

size_t memory(const TargetProgram& p) {
  const Tensor blob = write_blob(p, {"p", "s", "{}", 0, {}});
  return BlobRunner(blob.data(), blob.bytes()).memory({}, {}).bytes;
}

TEST(RowBandsOfAProgram, BlocksOfAMobileNetNeedAFractionOfTheMemory) {
  BandNet n;
  const ValueId first = n.block(n.x, 1);
  n.b.output(n.block(n.b.node(OpKind::kBinary, {n.x, first}, BinaryAttrs{binary::kAdd}), 2));
  const TargetProgram whole = n.program();
  for (const BandUse use : {BandUse::kAll, BandUse::kAuto}) {
    TargetProgram bands = n.program();
    EXPECT_GE(make_row_bands(bands, choose_bands(use, true)), 1);
    EXPECT_GE(chains(bands), 1);
    EXPECT_LT(memory(bands), memory(whole) / 2);
    for (const auto& [batch, height] : {std::pair<int64_t, int64_t>{1, 40}, {3, 40}, {2, 1}, {1, 7}})
      EXPECT_EQ(run_bands(bands, batch, height), run_bands(whole, batch, height)) << batch << " " << height;
  }
}

// A convolution and the pool behind it: MNIST's first network held 212 kB of maps for a pool, of which it needs a few rows.
TEST(RowBandsOfAProgram, PoolsNeedAFewRowsOfWhatTheyRead) {
  BandNet n;
  const auto halves = [&](ValueId v, int64_t axis) {
    const auto part = [&](int64_t start, int64_t end) {
      return n.b.node(OpKind::kSlice, {v, n.b.ints({start}), n.b.ints({end}), n.b.ints({axis}), n.b.ints({2})});
    };
    return n.b.max(part(0, -1), part(1, INT64_MAX));
  };
  const ValueId wide = n.pointwise(n.depthwise(n.x, kNarrow, 1), kNarrow, 6 * kNarrow);
  n.b.output(n.pointwise(halves(halves(wide, 1), 2), 6 * kNarrow, kNarrow));
  const TargetProgram whole = n.program();
  TargetProgram bands = n.program();
  EXPECT_GE(make_row_bands(bands, choose_bands(BandUse::kAll, true)), 1);
  EXPECT_EQ(std::count_if(bands.ops.begin(), bands.ops.end(), [](const TargetOp& o) { return o.code == OpCode::kPool; }), 0);
  EXPECT_LT(memory(bands), memory(whole) / 2);
  EXPECT_EQ(run_bands(bands, 2, 21), run_bands(whole, 2, 21));
}

// Of two chains the one that needs less scratch has room for more rows at a time.
TEST(RowBandsOfAProgram, MoreRowsWhereAnotherNeedsTheScratch) {
  BandNet n;
  const auto wide_block = [&](ValueId v, int64_t wide) {
    return n.pointwise(n.depthwise(n.pointwise(v, kNarrow, wide), wide, 1), wide, kNarrow);
  };
  const ValueId first = wide_block(n.x, 40 * kNarrow);
  n.b.output(n.b.unary(Unary::kTanh, wide_block(first, 2 * kNarrow)));
  n.b.output(first);
  const TargetProgram whole = n.program();
  const auto banded = [&](int64_t most_pixels) {
    TargetProgram p = n.program();
    EXPECT_EQ(make_row_bands(p, {12, 0, 0, most_pixels}), 2);
    return p;
  };
  const auto rows = [](const TargetProgram& p) {
    std::vector<int32_t> all;
    for (const TargetOp& o : p.ops)
      if (o.code == OpCode::kRowBands) all.push_back(o.ints[ert::params::row_bands::kRows]);
    return all;
  };
  const TargetProgram few = banded(0), more = banded(12 * 9);
  EXPECT_EQ(rows(few), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(rows(more), (std::vector<int32_t>{1, 8}));
  EXPECT_EQ(memory(more), memory(few));
  for (const auto& [batch, height] : {std::pair<int64_t, int64_t>{1, 40}, {3, 40}, {2, 1}, {1, 7}})
    EXPECT_EQ(run_bands(more, batch, height), run_bands(whole, batch, height)) << batch << " " << height;
}

TEST(RowBandsOfAProgram, WhatIsSmallStaysAsItIs) {
  BandNet n;
  n.dims = {{"batch", 1}, {"height", 40}};
  n.b.output(n.block(n.x, 1));
  TargetProgram p = n.program();
  EXPECT_EQ(make_row_bands(p, choose_bands(BandUse::kAuto, false)), 0);  // below half a megabyte
  EXPECT_EQ(make_row_bands(p, {32, 0, 0.99}), 0);
  EXPECT_EQ(chains(p), 0);
}

// What an op outside of a chain reads has to be there whole.
TEST(RowBandsOfAProgram, AValueThatIsReadOutsideEndsAChain) {
  BandNet n;
  const ValueId wide = n.depthwise(n.pointwise(n.x, kNarrow, 6 * kNarrow), 6 * kNarrow, 1);
  const ValueId mean = n.b.node(OpKind::kReduce, {wide}, ReduceAttrs{reduce::kMean, {1, 2}, true, false});
  const ValueId scaled = n.b.node(OpKind::kBinary, {wide, mean}, BinaryAttrs{binary::kMul});
  n.b.output(n.pointwise(scaled, 6 * kNarrow, kNarrow));
  const TargetProgram whole = n.program();
  TargetProgram bands = n.program();
  make_row_bands(bands, choose_bands(BandUse::kAll, true));
  EXPECT_EQ(run_bands(bands, 2, 9), run_bands(whole, 2, 9));
  EXPECT_LE(memory(bands), memory(whole));
}

// Heads of attention have five axes: a place for the fifth was written behind those of four.
TEST(RowBandsOfAProgram, ValuesOfFiveAxesAreInNoChain) {
  BandNet n;
  const ValueId heads = n.b.transpose(n.b.reshape(n.x, {0, 0, 12, 2, 4}), {0, 1, 2, 4, 3});
  n.b.output(n.b.node(OpKind::kReduce, {n.b.unary(Unary::kTanh, heads)}, ReduceAttrs{reduce::kMax, {-1}, false, false}));
  const TargetProgram whole = n.program();
  TargetProgram bands = n.program();
  make_row_bands(bands, choose_bands(BandUse::kAll, true));
  EXPECT_EQ(run_bands(bands, 2, 9), run_bands(whole, 2, 9));
}

// Additive attention (Bahdanau): tanh of every query with every key would be [batch, queries, keys, units] twice.
TEST(RowBandsOfAProgram, ScoresOfAdditiveAttentionAreNoWholeMap) {
  BandNet n;
  const ValueId units = n.pointwise(n.x, kNarrow, 32);  // [batch, height, 12, 32]
  const ValueId queries = n.b.node(OpKind::kReduce, {units}, ReduceAttrs{reduce::kMean, {2}, true, false});
  const ValueId keys = n.b.transpose(queries, {0, 2, 1, 3});
  const ValueId sums = n.b.node(OpKind::kBinary, {queries, keys}, BinaryAttrs{binary::kAdd});
  n.b.output(n.pointwise(n.b.unary(Unary::kTanh, sums), 32, 1));
  n.dims["height"] = 200;
  const TargetProgram whole = n.program();
  TargetProgram bands = n.program();
  make_row_bands(bands, choose_bands(BandUse::kAuto, false));
  EXPECT_EQ(chains(bands), 1);
  EXPECT_EQ(run_bands(bands, 2, 9), run_bands(whole, 2, 9));
  EXPECT_EQ(run_bands(bands, 3, 40), run_bands(whole, 3, 40));
  EXPECT_LE(memory(bands), memory(whole) / 8);
}

}  // namespace

}  // namespace edgeconv::testing
