// Convolutions over 8-bit maps in a program: who writes a map, sums and means that read it, factors that become weights; and that the result is that of fp32.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/program/map_ops.h"
#include "convert/program/weight_layout.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;
namespace map_conv = ert::params::map_conv;
using ert::params::OpCode;

constexpr int64_t kChannels = 16, kRows = 6;
constexpr int kRelu = static_cast<int>(Unary::kRelu);

WindowAttrs three_by_three() { return {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}; }

struct Net {
  GraphBuilder b;
  ValueId x = b.input("x", {DimExpr::symbol("batch"), kRows, 9, kChannels});

  ValueId conv(ValueId v, int activation = kRelu) {
    const ValueId patches = b.node(OpKind::kPatches, {v}, PatchesAttrs{three_by_three(), 0, kChannels});
    return b.node(OpKind::kLinear, {patches, b.weights({9 * kChannels, kChannels}), b.weights({kChannels})},
                  LinearAttrs{activation});
  }
  ValueId depthwise(ValueId v) {
    DepthwiseConvAttrs a;
    a.window = three_by_three();
    a.activation = kRelu;
    return b.node(OpKind::kDepthwiseConv, {v, b.weights({9, kChannels}), b.weights({kChannels})}, a);
  }
  ValueId mean(ValueId v) { return b.node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kMean, {1, 2}, false, false}); }

  TargetProgram program(bool maps) {
    LowerOptions options = lower_options(plan_dims(b.g, {}));
    options.plan = int8_plan(b.g);
    options.plan.maps = maps;
    if (!maps) {
      for (const auto& [node, how] : options.plan.layers()) options.plan.set(node, linear::kF32);
    }
    Diagnostics d;
    return build_program(b.g, options, d);
  }
  static Tensor images(int64_t batch) {
    std::vector<float> v;
    for (int64_t i = 0; i < batch * kRows * 9 * kChannels; ++i)
      v.push_back(static_cast<float>((i * 7919) % 1009) / 500.0f - 1.0f);
    return Tensor::of<float>(DType::kFloat, {batch, kRows, 9, kChannels}, v);
  }
  std::vector<float> run(bool maps) { return run(program(maps)); }
  static std::vector<float> run(const TargetProgram& p) {
    const Tensor blob = write_blob(p, {"p", "s", "{}", 0, {}});
    return BlobRunner(blob.data(), blob.bytes()).run({images(2)})[0].to_float();
  }
  // Of what p gives and what fp32 gives.
  double cosine(const TargetProgram& p) {
    const std::vector<float> got = run(p), want = run(false);
    double dot = 0, a = 0, c = 0;
    for (size_t i = 0; i < want.size(); ++i) dot += got[i] * want[i], a += got[i] * got[i], c += want[i] * want[i];
    return dot / std::sqrt(a * c);
  }
};

int count(const TargetProgram& p, OpCode code) {
  return static_cast<int>(std::count_if(p.ops.begin(), p.ops.end(), [&](const TargetOp& o) { return o.code == code; }));
}

TEST(MapPasses, AConvolutionWritesTheMapThatTheNextOneReads) {
  Net n;
  n.b.output(n.conv(n.conv(n.conv(n.x))));
  finish(n.b.g);
  const TargetProgram p = n.program(true);
  EXPECT_EQ(count(p, OpCode::kMapConv), 3);
  EXPECT_EQ(count(p, OpCode::kQuantizeMap), 1) << "the input only";
  EXPECT_EQ(p.ops.size(), 4u);
  EXPECT_EQ(p.ops.back().outputs.size(), 1u) << "an output is floats";
  EXPECT_GT(n.cosine(p), 0.999);
}

TEST(MapPasses, AResidualIsReadIn8Bits) {
  Net n;
  const ValueId first = n.conv(n.x);
  const ValueId sum = n.b.unary(Unary::kRelu, n.b.add(n.conv(n.conv(first), map_conv::kNoActivation), first));
  n.b.output(n.mean(n.conv(sum)));
  finish(n.b.g);
  const TargetProgram p = n.program(true);
  EXPECT_EQ(count(p, OpCode::kMapConv), 4);
  EXPECT_EQ(count(p, OpCode::kBinary), 0);
  EXPECT_EQ(count(p, OpCode::kUnary), 0);
  EXPECT_EQ(count(p, OpCode::kMapMean), 1);
  int residuals = 0;
  for (const TargetOp& op : p.ops)
    if (op.code == OpCode::kMapConv && op.inputs[map_conv::kResidual] >= 0) {
      ++residuals;
      EXPECT_EQ(op.ints[map_conv::kActivation], kRelu);
    }
  EXPECT_EQ(residuals, 1);
  EXPECT_GT(n.cosine(p), 0.999);
}

// One convolution that its own input is added to: the convolution's own result was left behind, and memory was planned for it (an internal error, or a crash).
TEST(MapPasses, NothingIsLeftOfASumWithWhatOneConvolutionReads) {
  for (const Unary activation : {Unary::kRelu, Unary::kSigmoid, Unary::kTanh}) {
    Net n;
    const ValueId x = n.b.unary(Unary::kTanh, n.x);
    n.b.output(n.b.unary(activation, n.b.add(n.conv(x, map_conv::kNoActivation), x)));
    finish(n.b.g);
    const TargetProgram p = n.program(true);
    EXPECT_EQ(count(p, OpCode::kBinary), 0);
    for (const TargetValue& v : p.values) EXPECT_TRUE(v.storage != Storage::kArena || v.first_op >= 0);
    EXPECT_GT(n.cosine(p), 0.999);
  }
}

// Somebody else wants floats: they stay.
TEST(MapPasses, OtherReadersGetFloats) {
  Net n;
  const ValueId first = n.conv(n.x);
  n.b.output(n.conv(first));
  n.b.output(n.b.softmax(first));
  finish(n.b.g);
  const TargetProgram p = n.program(true);
  EXPECT_EQ(count(p, OpCode::kQuantizeMap), 2);
  EXPECT_EQ(count(p, OpCode::kSoftmax), 1);
  EXPECT_GT(n.cosine(p), 0.999);
}

// The first input of every op was looked at, which a Fill does not have.
TEST(MapPasses, OpsWithoutInputsAreNoMeans) {
  Net n;
  n.b.output(n.mean(n.conv(n.x)));
  finish(n.b.g);
  const TargetProgram p = n.program(true);
  EXPECT_FALSE(is_map_mean(p, {OpCode::kFill, {}, {p.outputs[0].value}, {0}, {}, "fill"}));
}

TEST(MapPasses, DepthwiseWhereMemoryIsSaved) {
  for (const bool saves : {false, true}) {
    Net n;
    n.b.output(n.conv(n.depthwise(n.conv(n.x))));
    n.b.g.maps = saves ? MapUse::kAll : MapUse::kQuicker;
    finish(n.b.g);
    const TargetProgram p = n.program(true);
    EXPECT_EQ(count(p, OpCode::kMapDepthwiseConv), saves ? 1 : 0);
    EXPECT_EQ(count(p, OpCode::kDepthwiseConv), saves ? 0 : 1);
    EXPECT_EQ(count(p, OpCode::kQuantizeMap), saves ? 1 : 2);
    EXPECT_GT(n.cosine(p), 0.999);
  }
}

// Taps have one layout on every target; whatever it is, the bits are the same.
TEST(MapPasses, TargetsChangeNoBits) {
  Net n;
  n.b.output(n.conv(n.depthwise(n.conv(n.x))));
  n.b.g.maps = MapUse::kAll;
  finish(n.b.g);
  const std::vector<float> want = n.run(true);
  for (const WeightTarget& target : kWeightTargets) {
    TargetProgram p = n.program(true);
    change_weight_layout(p, target.dtype);
    for (const TargetOp& op : p.ops)
      if (op.code == OpCode::kMapDepthwiseConv) {
        EXPECT_EQ(p.values[static_cast<size_t>(op.inputs[map_conv::kWeights])].dtype, ert::params::kPackedN16K4) << target.name;
      }
    EXPECT_EQ(Net::run(p), want) << target.name;
  }
}

// A first layer over a coloured picture is a map like the others, over a grey one where memory is saved; with one layout of weights, because sixteen k of a line would be zeros for
// the most part.
TEST(MapPasses, FewChannels) {
  for (const auto& [channels, saves] : {std::pair{1, false}, {1, true}, {3, false}, {3, true}}) {
    Net n;
    const ValueId picture = n.b.input("picture", {DimExpr(1), kRows, 9, channels});
    const ValueId patches = n.b.node(OpKind::kPatches, {picture}, PatchesAttrs{three_by_three(), 0, channels});
    const ValueId first =
        n.b.node(OpKind::kLinear, {patches, n.b.weights({9 * channels, kChannels}), n.b.weights({kChannels})}, LinearAttrs{kRelu});
    n.b.output(n.conv(first));
    n.b.output(n.conv(n.x));
    n.b.g.maps = saves ? MapUse::kAll : MapUse::kQuicker;
    finish(n.b.g);
    TargetProgram p = n.program(true);
    change_weight_layout(p, ert::params::kPackedN2K16);
    int short_rows = 0;
    for (const TargetOp& op : p.ops) {
      if (op.code != OpCode::kMapConv) continue;
      const TargetValue& w = p.values[static_cast<size_t>(op.inputs[map_conv::kWeights])];
      const bool is_short = w.shape[1].evaluate({}).value() == 3 * channels;
      short_rows += is_short;
      EXPECT_EQ(w.dtype, is_short ? ert::params::kPackedN16K4 : ert::params::kPackedN2K16);
    }
    EXPECT_EQ(short_rows, saves || channels == 3 ? 1 : 0) << channels;
  }
}

// One range for a row of many columns loses what is quiet: more of them are allowed of pictures, and where memory is saved.
TEST(MapPasses, ColumnsOfAMap) {
  for (const auto& [use, most] : {std::pair{MapUse::kQuicker, 64}, {MapUse::kQuickerOfPictures, 256}, {MapUse::kAll, 128}})
    for (const int columns : {most, most + 1}) {
      Net n;
      const ValueId picture = n.b.input("picture", {DimExpr(1), kRows, columns, 3});
      const ValueId patches = n.b.node(OpKind::kPatches, {picture}, PatchesAttrs{three_by_three(), 0, 3});
      n.b.output(n.b.node(OpKind::kLinear, {patches, n.b.weights({27, kChannels}), n.b.weights({kChannels})}, LinearAttrs{}));
      n.b.g.maps = use;
      finish(n.b.g);
      EXPECT_EQ(count(n.program(true), OpCode::kMapConv), columns == most ? 1 : 0) << columns;
    }
}

// An image has the same bits alone and among others, on every level, whatever the threads.
TEST(MapPasses, TheSameBitsHoweverItRuns) {
  Net n;
  const ValueId first = n.conv(n.x);
  n.b.output(n.conv(n.b.unary(Unary::kRelu, n.b.add(n.depthwise(n.conv(first)), first))));
  n.b.g.maps = MapUse::kAll;
  finish(n.b.g);
  const Tensor blob = write_blob(n.program(true), {"p", "s", "{}", 0, {}});
  BlobRunner runner(blob.data(), blob.bytes());
  const std::vector<float> want = runner.run({Net::images(3)})[0].to_float();
  for (uint32_t isa = 0; isa < 32; ++isa)
    for (const uint32_t threads : {1u, 3u}) {
      if ((ert_isa_available() >> isa & 1) == 0) continue;
      RunnerOptions o;
      o.threads = threads;
      o.isa_mask = 1u << isa;
      EXPECT_EQ(runner.run({Net::images(3)}, o)[0].to_float(), want) << threads << ' ' << isa;
    }
  const std::vector<float> alone = runner.run({Net::images(1)})[0].to_float();
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), want.begin()));
}

// A factor for each channel of what a convolution reads: that of the one before it becomes scales and biases.
TEST(MapPasses, FactorsOfAMapBecomeWeights) {
  Net n;
  n.b.output(n.conv(n.conv(n.x)));
  finish(n.b.g);
  std::map<NodeId, std::vector<float>> smooth;
  for (size_t i = 0; i < n.b.g.nodes.size(); ++i) {
    if (n.b.g.nodes[i].dead || n.b.g.nodes[i].kind != OpKind::kLinear) continue;
    for (int64_t j = 0; j < 9 * kChannels; ++j)
      smooth[static_cast<NodeId>(i)].push_back(1.0f + 0.125f * static_cast<float>(j % kChannels));
  }
  LowerOptions options = lower_options(plan_dims(n.b.g, {}));
  options.plan = int8_plan(n.b.g);
  options.plan.maps = true;
  for (const auto& [node, how] : options.plan.layers()) options.plan.set(node, {linear::kInt8, true});
  options.smoothing = &smooth;
  Diagnostics d;
  const TargetProgram p = build_program(n.b.g, options, d);
  ASSERT_EQ(p.ops.size(), 3u);
  EXPECT_GE(p.ops[0].inputs[1], 0) << "the input has factors";
  EXPECT_EQ(p.ops[1].inputs[map_conv::kFactors], -1);
  EXPECT_GT(n.cosine(p), 0.999);
}

}  // namespace

}  // namespace edgeconv::testing
