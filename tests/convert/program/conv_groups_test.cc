// Groups of a convolution: which become one op, and that its results are those of the groups.
#include <gtest/gtest.h>

#include <algorithm>

#include "convert/program/program_pass.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

namespace conv = ert::params::conv;
namespace linear = ert::params::linear;
using ert::params::OpCode;

constexpr int kRelu = static_cast<int>(Unary::kRelu);

// Groups of `channels` channels and `filters` filters over [batch, 9, ..], joined, and an activation behind them.
struct Net {
  explicit Net(int64_t count, int64_t channels = 8, int64_t filters = 20, int64_t spatial = 1) : axes(spatial), channels_of_all(count * channels) {
    Shape map(static_cast<size_t>(axes), DimExpr(9));
    map.insert(map.begin(), DimExpr::symbol("batch"));
    map.push_back(count * channels);
    const ValueId x = b.input("x", map);
    const std::vector<int64_t> one(static_cast<size_t>(axes), 1), three(static_cast<size_t>(axes), 3);
    for (int64_t i = 0; i < count; ++i) {
      const ValueId patches = b.node(OpKind::kPatches, {x}, PatchesAttrs{{three, one, one, one, one}, i * channels, channels});
      const int64_t depth = channels * (axes == 1 ? 3 : 9);
      groups.push_back(b.node(OpKind::kLinear, {patches, b.weights({depth, filters}), b.weights({filters})}, LinearAttrs{}));
    }
  }
  // Joined, with an activation behind; `seen`: each is an output too, and stays an op.
  void join(bool seen = false) {
    const ValueId y = b.unary(kRelu, b.node(OpKind::kConcat, groups, AxisAttrs{axes + 1}));
    b.output(y);
    if (seen)
      for (const ValueId v : groups) b.output(v);
    finish(b.g);
  }
  TargetProgram program(const std::vector<linear::Precision>& precisions = {}) {
    LowerOptions options = lower_options(plan_dims(b.g, {}));
    options.plan = int8_plan(b.g);
    std::vector<NodeId> layers;
    for (const auto& [node, how] : options.plan.layers()) layers.push_back(node);
    for (size_t i = 0; i < precisions.size(); ++i) options.plan.set(layers[i], precisions[i]);
    Diagnostics d;
    return build_program(b.g, options, d);
  }
  Tensor made_up(int64_t batch) const {
    std::vector<int64_t> dims{batch};
    for (int64_t i = 0; i < axes; ++i) dims.push_back(9);
    dims.push_back(channels_of_all);
    Tensor t(DType::kFloat, dims);
    for (int64_t i = 0; i < t.elements(); ++i) t.mut<float>()[static_cast<size_t>(i)] = static_cast<float>((i * 7919) % 1009) / 500.0f - 1.0f;
    return t;
  }
  std::vector<float> run(const std::vector<linear::Precision>& precisions = {}) {
    const Tensor blob = write_blob(program(precisions), {"p", "s", "{}", 0, {}});
    return BlobRunner(blob.data(), blob.bytes()).run({made_up(2)})[0].to_float();
  }

  GraphBuilder b;
  int64_t axes, channels_of_all;
  std::vector<ValueId> groups;
};

std::vector<OpCode> codes(const TargetProgram& p) {
  std::vector<OpCode> all;
  for (const TargetOp& op : p.ops) all.push_back(op.code);
  return all;
}

const TargetValue& operand(const TargetProgram& p, const TargetOp& op, linear::Inputs input) { return p.values[static_cast<size_t>(op.inputs[input])]; }

TEST(ConvGroupsPass, AreOneOpWithItsActivation) {
  for (const auto precision : {linear::kInt8, linear::kInt8A16}) {
    Net net(3);
    net.join();
    const TargetProgram p = net.program({precision, precision, precision});
    ASSERT_EQ(codes(p), std::vector{OpCode::kConv}) << "no Concat, no Unary";
    const TargetOp& op = p.ops[0];
    EXPECT_EQ(op.ints[conv::kActivation], kRelu);
    EXPECT_EQ(op.ints[conv::kFirstChannel], 0);
    EXPECT_EQ(op.ints[conv::kChannels], 8);
    EXPECT_EQ(op.ints.back(), 3);
    EXPECT_EQ(op.ints.size(), size_t{conv::kWindow} + 5 + 1);
    EXPECT_EQ(operand(p, op, linear::kWeights).shape, (Shape{96, 24})) << "two panels for the 20 filters of each";
    for (const auto input : {linear::kScale, linear::kColsum, linear::kBias}) EXPECT_EQ(operand(p, op, input).shape, Shape{96}) << input;
  }
}

TEST(ConvGroupsPass, BitsAreThoseOfTheGroups) {
  for (const int64_t axes : {1, 2})
    for (const int64_t filters : {16, 20})
      for (const auto precision : {linear::kInt8, linear::kInt8A16}) {
        Net one(3, 8, filters, axes), apart(3, 8, filters, axes);
        one.join();
        apart.join(true);
        const std::vector precisions(3, precision);
        EXPECT_EQ(one.program(precisions).ops.size(), 1u);
        EXPECT_EQ(codes(apart.program(precisions)).size(), 5u);
        EXPECT_EQ(one.run(precisions), apart.run(precisions));
      }
}

TEST(ConvGroupsPass, NeighboursOfOnePrecisionAreOne) {
  Net net(4), apart(4);
  net.join();
  apart.join(true);
  const std::vector mixed{linear::kInt8, linear::kInt8A16, linear::kInt8A16, linear::kF32};
  const TargetProgram p = net.program(mixed);
  std::vector<OpCode> got = codes(p);
  EXPECT_EQ(std::count(got.begin(), got.end(), OpCode::kConv), 2);
  EXPECT_EQ(std::count(got.begin(), got.end(), OpCode::kDirectConv), 1);
  EXPECT_EQ(std::count(got.begin(), got.end(), OpCode::kConcat), 1);
  EXPECT_EQ(std::count(got.begin(), got.end(), OpCode::kUnary), 1) << "of all";
  const auto pair = std::find_if(p.ops.begin(), p.ops.end(), [](const TargetOp& op) { return op.ints.size() == size_t{conv::kWindow} + 6; });
  ASSERT_NE(pair, p.ops.end());
  EXPECT_EQ(pair->ints[conv::kFirstChannel], 8);
  EXPECT_EQ(net.run(mixed), apart.run(mixed));
}

TEST(ConvGroupsPass, OthersStay) {
  Net fp32(2);
  fp32.join();
  EXPECT_EQ(codes(fp32.program({linear::kF32, linear::kF32})).size(), 4u);
  Net turned(2);
  std::swap(turned.groups[0], turned.groups[1]);
  turned.join();
  EXPECT_EQ(codes(turned.program()).size(), 4u) << "the second group comes first";
  Net twice(2);
  twice.groups[1] = twice.groups[0];
  twice.join();
  EXPECT_EQ(codes(twice.program()).size(), 3u);
}

}  // namespace

}  // namespace edgeconv::testing
