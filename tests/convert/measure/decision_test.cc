// Which outputs are probabilities, whatever stands between them and their sigmoid.
#include "convert/measure/decision.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

Decision of(GraphBuilder& b, ValueId y) {
  b.output(y);
  finish(b.g);
  return decision_of(b.g, y).by;
}

// A wake word whose second model speaks where the first is sure: its selection was judged by value.
TEST(Decision, ASelectionOfProbabilitiesIsOne) {
  GraphBuilder b;
  const ValueId p = b.unary(Unary::kSigmoid, b.input("x", {4, 1})), q = b.unary(Unary::kSigmoid, b.input("z", {4, 1}));
  EXPECT_EQ(of(b, b.node(OpKind::kWhere, {b.input("sure", {4, 1}, DType::kBool), q, p})), Decision::kLogit);
}

TEST(Decision, ASigmoidBehindArithmeticIsAGate) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 1});
  EXPECT_EQ(of(b, b.mul(x, b.unary(Unary::kSigmoid, x))), Decision::kValue);
}

TEST(Decision, SelectionsOfValuesAreValues) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 1});
  EXPECT_EQ(of(b, b.node(OpKind::kWhere, {b.input("c", {4, 1}, DType::kBool), x, b.unary(Unary::kTanh, x)})), Decision::kValue);
}

}  // namespace

}  // namespace edgeconv::testing
