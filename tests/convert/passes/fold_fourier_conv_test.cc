// fold_fourier_conv: a Conv with the bins of a transform computes the same with half of the products; what only resembles one stays.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;
constexpr float kTolerance = 1e-4f;

enum Filters { kCosines = 1, kSines = 2, kBoth = 3 };

struct FourierConv {
  int64_t length = 64, stride = 16;
  Filters filters = kBoth;
  double sine_sign = -1;
  int64_t window_first = 1, window_size = 63;  // of a Hann window without zeros; the taps outside are zero
  std::vector<int64_t> pads = {0, 0}, dilations = {1};
  bool bias = false;
  float changed = 0;  // is added to one weight
};

std::vector<float> weights_of(const FourierConv& c) {
  std::vector<float> w;
  for (const Filters part : {kCosines, kSines})
    for (int64_t bin = 0; (c.filters & part) != 0 && bin <= c.length / 2; ++bin)
      for (int64_t tap = 0; tap < c.length; ++tap) {
        const int64_t at = tap - c.window_first;
        const double hann = at < 0 || at >= c.window_size ? 0 : 0.5 - 0.5 * std::cos(kTurn * static_cast<double>(at + 1) / static_cast<double>(c.window_size + 1));
        const double angle = kTurn * static_cast<double>(bin * tap % c.length) / static_cast<double>(c.length);
        w.push_back(static_cast<float>(hann * (part == kCosines ? std::cos(angle) : c.sine_sign * std::sin(angle))));
      }
  w[static_cast<size_t>(3 * c.length + c.length / 3)] += c.changed;
  return w;
}

GraphBuilder fourier_conv(const FourierConv& c, const DimExpr& samples, int expected) {
  GraphBuilder b;
  const std::vector<float> w = weights_of(c);
  const int64_t filters = static_cast<int64_t>(w.size()) / c.length;
  ConvAttrs a;
  a.kernel = {c.length};
  a.strides = {c.stride};
  a.pads = c.pads;
  a.dilations = c.dilations;
  b.output(b.node(OpKind::kConv, {b.input("x", {B, 1, samples}), b.constant(Tensor::of<float>(DType::kFloat, {filters, 1, c.length}, w)),
                                  c.bias ? b.weights({filters}) : kNone},
                  a));
  EXPECT_EQ(apply(b.g, {pass_fold_fourier_conv}, kTolerance), expected);
  EXPECT_EQ(count(b.g, OpKind::kConv), 1 - expected);
  return b;
}

// Of all tables.
int64_t table_height(const GraphBuilder& b) {
  int64_t rows = 0;
  for (const Node& n : b.g.nodes)
    if (!n.dead && n.kind == OpKind::kLinear) rows = std::max(rows, b.g.value(n.in(1)).constant->dims()[0]);
  return rows;
}

TEST(FoldFourierConv, RealAndImaginaryParts) {
  for (const Filters filters : {kBoth, kCosines, kSines})
    for (const double sign : {-1.0, 1.0})
      for (const bool bias : {false, true})
        for (const DimExpr& samples : {DimExpr(64), DimExpr(65), DimExpr(200)})
          fourier_conv({64, 16, filters, sign, 1, 63, {0, 0}, {1}, bias}, samples, 1);
}

TEST(FoldFourierConv, HalfOfTheProducts) { EXPECT_EQ(table_height(fourier_conv({}, 200, 1)), 32); }

TEST(FoldFourierConv, TapsOutsideOfTheWindowAreLeftOut) {
  EXPECT_EQ(table_height(fourier_conv({64, 16, kBoth, -1, 9, 47}, 200, 1)), 24);
}

// As NeMo has them: around length / 2 - 1/2. And as Kaldi: from the start on.
TEST(FoldFourierConv, WindowsThatAreNoMirrorImage) {
  const GraphBuilder nemo = fourier_conv({64, 16, kBoth, -1, 9, 46}, 200, 1);
  EXPECT_EQ(count(nemo.g, OpKind::kBinary), 3) << "times the window, plus, minus";
  EXPECT_EQ(count(fourier_conv({64, 16, kBoth, -1, 1, 48}, 200, 1).g, OpKind::kBinary), 3);
  EXPECT_EQ(count(fourier_conv({}, 200, 1).g, OpKind::kBinary), 2);
}

TEST(FoldFourierConv, PaddingAndStrides) {
  fourier_conv({64, 16, kBoth, -1, 1, 63, {32, 32}}, 100, 1);
  fourier_conv({64, 10, kBoth, -1, 9, 46, {3, 20}}, 150, 1);
  fourier_conv({128, 128, kBoth, -1, 1, 127}, 512, 1);
  fourier_conv({64, 1, kCosines, -1, 1, 63}, 80, 1);
}

TEST(FoldFourierConv, WhatResemblesATransformStays) {
  fourier_conv({64, 16, kBoth, -1, 1, 63, {0, 0}, {1}, false, 1e-5f}, 200, 0);
  fourier_conv({64, 16, kBoth, -1, 1, 63, {0, 0}, {2}}, 200, 0);
  fourier_conv({64, 16, kBoth, -1, 0, 64}, 200, 0);  // the first tap has no partner
  fourier_conv({62, 16, kBoth, -1, 1, 61}, 200, 0);  // short
  fourier_conv({65, 16, kCosines, -1, 1, 64}, 200, 0);
}

}  // namespace

}  // namespace edgeconv::testing
