// Which activations become the form for 8-bit readers: GELUs that nobody else reads, and gates of 8-bit recurrences.
#include "convert/program/program_pass.h"

#include <gtest/gtest.h>

#include "kernels_int8/contract/unary.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace linear = ert::params::linear;
namespace recurrence = ert::params::recurrence;
using ert::kernels::Unary;
using ert::params::OpCode;

class CoarseActivations : public ::testing::Test {
 protected:
  CoarseActivations() : p({{"seq", 1, 64}}) {
    const int x = value();
    p.values[static_cast<size_t>(x)].storage = Storage::kInput;
    activated_ = add_linear(x, linear::kInt8, static_cast<int32_t>(Unary::kGeluErf));
  }
  int value() { return p.add_value(ERT_F32, {DimExpr::symbol("seq"), 8}); }
  int add_linear(int x, int32_t precision, int32_t activation = linear::kNoActivation) {
    const int y = value();
    p.ops.push_back({OpCode::kLinear, {x, -1, -1, -1, -1, -1}, {y}, {precision, activation}, {}, ""});
    return y;
  }
  Unary taken() {
    pass_coarse_activations(p, {});
    return static_cast<Unary>(p.ops[0].ints[linear::kActivation]);
  }

  TargetProgram p;
  int activated_;
};

TEST_F(CoarseActivations, AnInt8LinearRounds) {
  add_linear(activated_, linear::kInt8);
  EXPECT_EQ(taken(), Unary::kGeluCoarse);
}
TEST_F(CoarseActivations, ThroughAnAlias) {
  add_linear(p.add_alias(activated_, {DimExpr::symbol("seq"), 1, 8}), linear::kInt8);
  EXPECT_EQ(taken(), Unary::kGeluCoarse);
}
TEST_F(CoarseActivations, OtherPrecisionsDoNotRound) {
  add_linear(activated_, linear::kInt8);
  add_linear(activated_, linear::kInt8A16);
  EXPECT_EQ(taken(), Unary::kGeluErf);
}
TEST_F(CoarseActivations, OtherReadersDoNotRound) {
  add_linear(activated_, linear::kInt8);
  p.ops.push_back({OpCode::kUnary, {activated_}, {value()}, {static_cast<int32_t>(Unary::kTanh)}, {}, ""});
  EXPECT_EQ(taken(), Unary::kGeluErf);
}
TEST_F(CoarseActivations, AnOutputIsRead) {
  add_linear(activated_, linear::kInt8);
  p.values[static_cast<size_t>(activated_)].storage = Storage::kOutput;
  EXPECT_EQ(taken(), Unary::kGeluErf);
}
TEST_F(CoarseActivations, OtherActivationsStay) {
  add_linear(activated_, linear::kInt8);
  p.ops[0].ints[linear::kActivation] = static_cast<int32_t>(Unary::kGeluTanh);
  EXPECT_EQ(taken(), Unary::kGeluTanh);
}
TEST_F(CoarseActivations, AnElementwiseGelu) {
  const int y = value();
  p.ops.push_back({OpCode::kUnary, {activated_}, {y}, {static_cast<int32_t>(Unary::kGeluErf)}, {}, ""});
  add_linear(y, linear::kInt8);
  EXPECT_EQ(taken(), Unary::kGeluErf) << "read by the second GELU";
  EXPECT_EQ(p.ops[1].ints[0], static_cast<int32_t>(Unary::kGeluCoarse));
}

// Activations of a recurrence of one direction after the pass.
std::vector<int32_t> gates_taken(TargetProgram& p, int32_t precision) {
  std::vector<int32_t> ints(recurrence::kFirstActivation + recurrence::kActivationCount);
  ints[recurrence::kKind] = recurrence::kGru;
  ints[recurrence::kPrecision] = precision;
  const Unary kinds[] = {Unary::kSigmoid, Unary::kTanh, Unary::kRelu};
  for (size_t i = 0; i < 3; ++i) ints[recurrence::kFirstActivation + i] = static_cast<int32_t>(kinds[i]);
  p.ops.push_back({OpCode::kRecurrence, {}, {}, ints, {}, ""});
  pass_coarse_activations(p, {});
  return {p.ops.back().ints.begin() + recurrence::kFirstActivation, p.ops.back().ints.end()};
}
TEST_F(CoarseActivations, GatesOfAnInt8Recurrence) {
  const std::vector<int32_t> want = {static_cast<int32_t>(Unary::kSigmoidCoarse), static_cast<int32_t>(Unary::kTanhCoarse),
                                     static_cast<int32_t>(Unary::kRelu)};
  EXPECT_EQ(gates_taken(p, linear::kInt8), want);
}
TEST_F(CoarseActivations, GatesOfOtherRecurrencesStay) {
  const std::vector<int32_t> want = {static_cast<int32_t>(Unary::kSigmoid), static_cast<int32_t>(Unary::kTanh),
                                     static_cast<int32_t>(Unary::kRelu)};
  EXPECT_EQ(gates_taken(p, linear::kInt8A16), want);
  EXPECT_EQ(gates_taken(p, linear::kF32), want);
}

}  // namespace

}  // namespace edgeconv
