// Recurrence against the ONNX formulas in double: kinds, directions, lengths, initial states, peepholes, clip, precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/ops/recurrence_reference.h"

namespace ert::test {
namespace {

namespace rec = params::recurrence;
namespace lin = params::linear;

void expect_near(const std::vector<float>& got, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << i;
}

void expect_follows_onnx(Layer l, double tolerance) {
  SCOPED_TRACE(testing::Message() << "kind " << l.s.kind << " direction " << l.s.direction << " hidden " << l.s.hidden);
  ASSERT_EQ(run(l.op), ERT_OK);
  const Reference want(l);
  expect_near(l.op.outputs[0].as<float>(), want.y, tolerance);
  expect_near(l.op.outputs[1].as<float>(), want.h, tolerance);
  if (l.s.kind == rec::kLstm) expect_near(l.op.outputs[2].as<float>(), want.c, tolerance);
}

// Rounding an 8-bit state moves a gate by at most half a step times the column's weights; gates contract it again.
constexpr double kTolerance[] = {0.05, 2e-5, 5e-4};  // int8, fp32, w8a16

TEST(Recurrence, FollowsOnnxInEveryKindAndDirection) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16})
    for (int32_t kind : {rec::kLstm, rec::kGru, rec::kRnn})
      for (int32_t direction : {rec::kForward, rec::kReverse, rec::kBidirectional})
        for (int32_t hidden : {1, 16, 21})
          expect_follows_onnx(layer_of({kind, direction, 4, 3, hidden}, precision, {}, false, false), kTolerance[precision]);
}

// Cells of one kernel and of unusual form with the activations that the converter writes for 8 bits.
TEST(Recurrence, FollowsOnnxWithCoarseActivations) {
  for (const Shape& s : {Shape{rec::kLstm, rec::kBidirectional, 4, 3, 21}, Shape{rec::kGru, rec::kForward, 4, 3, 21, true},
                         Shape{rec::kGru, rec::kForward, 4, 3, 21}, Shape{rec::kRnn, rec::kReverse, 4, 3, 21},
                         Shape{rec::kLstm, rec::kForward, 4, 3, 21, false, true}}) {
    Layer l = layer_of(s, lin::kInt8, {}, true, false);
    for (size_t i = rec::kFirstActivation; i < l.op.ints.size(); ++i) {
      int32_t& kind = l.op.ints[i];
      if (kind == static_cast<int32_t>(Unary::kSigmoid)) kind = static_cast<int32_t>(Unary::kSigmoidCoarse);
      if (kind == static_cast<int32_t>(Unary::kTanh)) kind = static_cast<int32_t>(Unary::kTanhCoarse);
    }
    expect_follows_onnx(l, kTolerance[lin::kInt8]);
  }
}

// The first step of a state that nobody gives multiplies nothing.
TEST(Recurrence, StatesOfZerosGiveTheBitsOfAbsentOnes) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
    for (const Shape& s : {Shape{rec::kLstm, rec::kBidirectional, 3, 2, 21}, Shape{rec::kGru, rec::kForward, 3, 2, 21, true},
                           Shape{rec::kGru, rec::kForward, 3, 2, 21}, Shape{rec::kRnn, rec::kReverse, 3, 2, 21}}) {
      Layer absent_states = layer_of(s, precision, {3, 2}, false, false), zeros = absent_states;
      zeros.op.inputs[rec::kInitialH] = f32({s.directions(), 2, 21}, std::vector<float>(at(s.directions() * 2 * 21)));
      ASSERT_EQ(run(absent_states.op), ERT_OK);
      ASSERT_EQ(run(zeros.op), ERT_OK);
      EXPECT_EQ(absent_states.op.outputs[0].as<uint32_t>(), zeros.op.outputs[0].as<uint32_t>()) << s.kind << " " << precision;
      EXPECT_EQ(absent_states.op.outputs[1].as<uint32_t>(), zeros.op.outputs[1].as<uint32_t>()) << s.kind << " " << precision;
    }
  }
}

TEST(Recurrence, LengthsEndEachRowWhereItEnds) {
  for (int32_t kind : {rec::kLstm, rec::kGru, rec::kRnn})
    for (int32_t direction : {rec::kForward, rec::kReverse, rec::kBidirectional})
      expect_follows_onnx(layer_of({kind, direction, 5, 6, 20}, lin::kF32, {5, 1, 3, 0, 4, 5}, true, false),
                          kTolerance[lin::kF32]);
}

TEST(Recurrence, VariantsOfTheCells) {
  for (int32_t precision : {lin::kInt8, lin::kF32, lin::kInt8A16}) {
    const double t = kTolerance[precision];
    expect_follows_onnx(layer_of({rec::kGru, rec::kBidirectional, 4, 3, 20, true}, precision, {4, 2, 1}, true, false), t);
    expect_follows_onnx(layer_of({rec::kLstm, rec::kForward, 4, 3, 20, false, true}, precision, {}, true, false), t);
    expect_follows_onnx(layer_of({rec::kLstm, rec::kBidirectional, 4, 3, 20, false, false, 0.25f}, precision, {}, true, true), t);
    expect_follows_onnx(layer_of({rec::kGru, rec::kForward, 4, 3, 20, false, false, 0.25f}, precision, {}, true, false), t);
    expect_follows_onnx(layer_of({rec::kGru, rec::kForward, 4, 3, 20, true, false, 0.25f}, precision, {}, true, false), t);
    expect_follows_onnx(layer_of({rec::kRnn, rec::kReverse, 4, 3, 20, false, false, 0.25f}, precision, {}, true, false), t);
  }
}

// More rows than a block, and rows that leave the block at different steps: each row as if it were alone.
TEST(Recurrence, RowsDoNotSeeTheirNeighbours) {
  const int32_t batch = 37, steps = 6;
  std::vector<int32_t> lengths;
  for (int32_t b = 0; b < batch; ++b) lengths.push_back(b * 5 % (steps + 1));
  for (int32_t kind : {rec::kLstm, rec::kGru}) {
    Layer all = layer_of({kind, rec::kBidirectional, steps, batch, 24}, lin::kInt8, lengths, false, false);
    ASSERT_EQ(run(all.op), ERT_OK);
    const int32_t width = all.s.directions() * all.s.gates() * 24;
    const std::vector<float> projected = all.op.inputs[0].as<float>(), y = all.op.outputs[0].as<float>();
    for (int32_t b = 0; b < batch; ++b) {
      Layer one = layer_of({kind, rec::kBidirectional, steps, 1, 24}, lin::kInt8, {lengths[at(b)]}, false, false);
      std::vector<float> own;
      for (int32_t t = 0; t < steps; ++t)
        own.insert(own.end(), projected.begin() + (t * batch + b) * width, projected.begin() + (t * batch + b + 1) * width);
      one.op.inputs[0] = f32({steps, 1, width}, own);
      ASSERT_EQ(run(one.op), ERT_OK);
      const std::vector<float> got = one.op.outputs[0].as<float>();
      for (int32_t t = 0; t < steps; ++t)
        for (int32_t i = 0; i < 48; ++i) ASSERT_EQ(got[at(t * 48 + i)], y[at((t * batch + b) * 48 + i)]) << b << " " << t;
    }
  }
}

TEST(Recurrence, ScratchHoldsOneBlock) {
  const auto scratch = [](int32_t steps, int32_t batch) {
    return scratch_bytes(layer_of({rec::kLstm, rec::kForward, steps, batch, 20}, lin::kInt8, {}, false, false).op);
  };
  EXPECT_EQ(scratch(1, 16), scratch(50, 400));
  EXPECT_LT(scratch(50, 1), scratch(50, 16));
  EXPECT_EQ(macs(layer_of({rec::kGru, rec::kBidirectional, 5, 2, 20}, lin::kInt8, {}, false, false).op), 5u * 2 * 2 * 60 * 20);
}

TEST(Recurrence, LengthsOutsideTheStepsAreRefused) {
  for (int32_t wrong : {-1, 5, INT32_MIN, INT32_MAX}) {
    Layer l = layer_of({rec::kLstm, rec::kForward, 4, 2, 4}, lin::kF32, {4, wrong}, false, false);
    EXPECT_EQ(run(l.op), ERT_ERR_INPUT) << wrong;
  }
}

TEST(Recurrence, RefusesWrongOperands) {
  const OpCase good = layer_of({rec::kLstm, rec::kBidirectional, 4, 3, 20}, lin::kInt8, {4, 3, 2}, true, true).op;
  ASSERT_TRUE(prepares(good));
  const auto refuses = [&](const std::function<void(OpCase&)>& spoil) {
    OpCase c = good;
    spoil(c);
    return !prepares(c);
  };
  constexpr uint32_t kSecond = rec::kFirstWeights + rec::kWeightInputCount;
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[rec::kKind] = rec::kGru; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[rec::kPrecision] = lin::kF32; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[rec::kDirection] = rec::kForward; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints[rec::kInputForget] = 2; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.resize(c.ints.size() - 3); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.back() = static_cast<int32_t>(Unary::kCount); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs.resize(kSecond); })) << "one direction without weights";
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[kSecond].constant = false; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[kSecond].dims[0] = 80; })) << "gates that do not start a panel";
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[kSecond + rec::kColsum] = absent(); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[rec::kLengths] = empty(ERT_I32, {2}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[rec::kInitialH] = empty(ERT_F32, {1, 3, 20}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[rec::kPeepholes] = empty(ERT_F32, {2, 80}); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs.pop_back(); })) << "an LSTM without its cell state";
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[1] = absent(); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {4, 3, 20}); }));
  OpCase gru = layer_of({rec::kGru, rec::kForward, 4, 3, 20}, lin::kF32, {}, true, false).op;
  ASSERT_TRUE(prepares(gru));
  gru.inputs[rec::kInitialC] = gru.inputs[rec::kInitialH];
  EXPECT_FALSE(prepares(gru)) << "a GRU has no cell state";
}

}  // namespace
}  // namespace ert::test
