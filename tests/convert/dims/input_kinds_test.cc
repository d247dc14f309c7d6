// What float inputs are told to be, and what they are not.
#include "convert/dims/input_kinds.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

const DimExpr kBatch = DimExpr::symbol("batch"), kTime = DimExpr::symbol("time");

ConvAttrs conv(std::vector<int64_t> kernel) {
  ConvAttrs a;
  a.strides = a.dilations = std::vector<int64_t>(kernel.size(), 1);
  a.pads = std::vector<int64_t>(2 * kernel.size(), 0);
  a.kernel = std::move(kernel);
  return a;
}

// The kind of the first input.
InputNature first(const Graph& g) {
  const auto kinds = input_kinds(g);
  const auto it = kinds.find(g.inputs[0]);
  return it == kinds.end() ? InputNature{} : it->second;
}

TEST(InputKinds, AWaveformGoesToAConvolutionOverOneChannel) {
  GraphBuilder b;
  const ValueId x = b.input("x", {kBatch, 512});
  b.output(b.node(OpKind::kConv, {b.reshape(x, {0, 1, 512}), b.weights({4, 1, 64})}, conv({64})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kWaveform);
  EXPECT_EQ(first(b.g).axis, 1);
  EXPECT_EQ(first(b.g).scale, InputScale::kUnit) << "no logarithm that would tell volts from integers";
}

TEST(InputKinds, ADivisionTellsIntegerSamples) {
  GraphBuilder b;
  const ValueId x = b.div(b.input("x", {kBatch, 512}), b.scalar(32768));
  b.output(b.node(OpKind::kConv, {b.reshape(x, {0, 1, 512}), b.weights({4, 1, 64})}, conv({64})));
  finish(b.g);
  EXPECT_EQ(first(b.g).scale, InputScale::kInt16);
}

TEST(InputKinds, ALogarithmLeavesTheUnitOpen) {
  GraphBuilder b;
  const ValueId x = b.input("x", {kBatch, 512});
  const ValueId y = b.node(OpKind::kConv, {b.reshape(x, {0, 1, 512}), b.weights({4, 1, 64})}, conv({64}));
  b.output(b.unary(Unary::kLog, b.mul(y, y)));
  finish(b.g);
  EXPECT_EQ(first(b.g).scale, InputScale::kAny);
}

TEST(InputKinds, AMatrixOfFeaturesIsNoWaveform) {
  GraphBuilder b;
  b.output(b.matmul(b.input("x", {kBatch, 512}), b.weights({512, 4})));
  finish(b.g);
  EXPECT_TRUE(input_kinds(b.g).empty());
}

// Frames by Reshape, as keras does where a hop is half a frame.
TEST(InputKinds, AWaveformIsCutIntoFramesWhosePowerIsTaken) {
  GraphBuilder b;
  const ValueId frames = b.reshape(b.input("x", {kBatch, 1024}), {0, 16, 64});
  const ValueId re = b.matmul(frames, b.weights({64, 33})), im = b.matmul(frames, b.weights({64, 33}));
  b.output(b.add(b.mul(re, re), b.transpose(b.transpose(b.mul(im, im), {0, 2, 1}), {0, 2, 1})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kWaveform);
  EXPECT_EQ(first(b.g).axis, 1);
}

TEST(InputKinds, OneSquareOfFeaturesIsNoPower) {
  GraphBuilder b;
  const ValueId y = b.matmul(b.input("x", {kBatch, 512}), b.weights({512, 4}));
  b.output(b.add(b.mul(y, y), y));
  finish(b.g);
  EXPECT_TRUE(input_kinds(b.g).empty());
}

TEST(InputKinds, TokensOfATransformerAreFeatures) {
  GraphBuilder b;
  b.output(b.matmul(b.input("src", {kBatch, kTime, 64}), b.weights({64, 4})));
  finish(b.g);
  EXPECT_TRUE(input_kinds(b.g).empty());
}

TEST(InputKinds, SpectraOfAMelFilterBank) {
  GraphBuilder b;
  b.output(b.node(OpKind::kConv, {b.input("x", {kBatch, 80, kTime}), b.weights({4, 80, 3})}, conv({3})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kSpectrum);
  EXPECT_EQ(first(b.g).channels, 1);
  EXPECT_EQ(first(b.g).axis, 2);
}

TEST(InputKinds, ImagesHaveThreeColours) {
  GraphBuilder b;
  b.output(b.node(OpKind::kConv, {b.input("x", {kBatch, 3, 32, 40}), b.weights({4, 3, 3, 3})}, conv({3, 3})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kImage);
  EXPECT_EQ(first(b.g).channels, 1);
}

// A captcha reader took 0 to 255 and was given about 0 to 1: certified at 44 dB, it had 30.
TEST(InputKinds, AFactorForEachColourTellsBytes) {
  const auto scaled = [&](float factor) {
    GraphBuilder image;
    const ValueId scales = image.constant(Tensor::of<float>(DType::kFloat, {1, 3, 1, 1}, {factor, 1.3f * factor, factor}));
    const ValueId x = image.mul(image.input("x", {kBatch, 3, 32, 40}), scales);
    image.output(image.node(OpKind::kConv, {x, image.weights({4, 3, 3, 3})}, conv({3, 3})));
    finish(image.g);
    return first(image.g).scale;
  };
  EXPECT_EQ(scaled(1 / 255.0f / 0.27f), InputScale::kBytes);
  EXPECT_EQ(scaled(1 / 0.225f), InputScale::kAny) << "the factor of colours from 0 to 1";
}

// A filter took 0 to 255 less the mean and was given about -1 to 1, on which its answers are those of its biases: certified at 35 dB, it
// had 19.
TEST(InputKinds, SmallWeightsOfTheFirstConvolutionTellBytes) {
  const auto scaled = [&](float size) {
    GraphBuilder image;
    Tensor weights(DType::kFloat, {4, 3, 3, 3});
    for (int64_t i = 0; i < weights.elements(); ++i) weights.mut<float>()[static_cast<size_t>(i)] = i % 3 ? size : -size;
    image.output(image.node(OpKind::kConv, {image.input("x", {kBatch, 3, 32, 40}), image.constant(weights)}, conv({3, 3})));
    finish(image.g);
    return first(image.g).scale;
  };
  EXPECT_EQ(scaled(0.0004f), InputScale::kByteRange);
  EXPECT_EQ(scaled(0.1f), InputScale::kAny);
}

// A detector that reads the four pixels of each square as colours was given noise.
TEST(InputKinds, PixelsFoldedIntoColoursAreAnImage) {
  GraphBuilder b;
  const ValueId x = b.input("x", {kBatch, 3, 32, 40});
  const ValueId squares = b.reshape(b.transpose(b.reshape(x, {0, 3, 16, 2, 20, 2}), {0, 3, 5, 1, 2, 4}), {0, 12, 16, 20});
  b.output(b.node(OpKind::kConv, {squares, b.weights({4, 12, 3, 3})}, conv({3, 3})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kImage);
  EXPECT_EQ(first(b.g).channels, 1);
}

TEST(InputKinds, AStateHasANextOneOfItsSize) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 8}), state = b.input("state", {1, 8}), other = b.input("other", {1, 8});
  const ValueId next = b.unary(Unary::kTanh, b.add(b.add(x, state), other));
  b.g.value(next).name = "stateN";
  b.output(b.unary(Unary::kRelu, next));
  b.output(next);
  finish(b.g);
  const auto kinds = input_kinds(b.g);
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(kinds.at(state).kind, InputKind::kState);
  EXPECT_EQ(kinds.at(state).output, 1);
}

// madmom's networks read [frames, bins]: they were fed with normal numbers, certified .9997 and had .994 on music.
TEST(InputKinds, ARecordingHasNoAxisForSamples) {
  const auto of = [](const DimExpr& frames, bool along_frames) {
    GraphBuilder b;
    const ValueId x = b.input("x", {frames, 81});
    const ValueId planes = along_frames ? b.reshape(x, {1, 1, -1, 81}) : b.reshape(x, {-1, 1, 9, 9});
    b.output(b.node(OpKind::kConv, {planes, b.weights({4, 1, 3, 3})}, conv({3, 3})));
    finish(b.g);
    return first(b.g);
  };
  const InputNature recording = of(kTime, true);
  EXPECT_EQ(recording.kind, InputKind::kSpectrum);
  EXPECT_EQ(recording.scale, InputScale::kRecorded);
  EXPECT_EQ(recording.axis, 0);
  EXPECT_EQ(recording.channels, 1);
  EXPECT_EQ(of(kBatch, false).kind, InputKind::kFeatures) << "rows of a batch, each a square";
}

TEST(InputKinds, AWindowOfFixedSizeIsOfAnotherNetwork) {
  GraphBuilder b;
  b.output(b.matmul(b.reshape(b.input("x", {1, 16, 96}), {1, 1536}), b.weights({1536, 4})));
  finish(b.g);
  EXPECT_EQ(first(b.g).kind, InputKind::kWindow);
}

}  // namespace

}  // namespace edgeconv::testing
