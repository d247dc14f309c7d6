// In which unit spectra are made up, where only the model itself can tell.
#include "convert/inputs/spectrum_units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "convert/inputs/synthetic_inputs.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

enum class Answers { kCalmly, kCalmlyBelowZero, kByChance };

// [batch, frames, 40] to [batch, 40]. By chance: the sine of millions, which another digit makes another number.
Graph network(Answers answers) {
  GraphBuilder b;
  const ValueId x = b.input("mel", {DimExpr::symbol("batch"), DimExpr::symbol("time"), 40});
  const ValueId mean = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMean, {1}, false, false});
  ValueId y = b.mul(mean, b.scalar(0.1f));
  if (answers != Answers::kCalmly) {
    ValueId level = b.add(b.mean(mean), b.scalar(1));
    if (answers == Answers::kCalmlyBelowZero) level = b.unary(Unary::kRelu, level);
    y = b.add(y, b.unary(Unary::kSin, b.mul(level, b.mul(b.weights({1, 40}), b.scalar(1e7f)))));
  }
  b.output(y);
  finish(b.g);
  return std::move(b.g);
}

DimPlan settled(const Graph& g) {
  DimPlan dims = plan_dims(g, {});
  settle_units(g, dims);
  return dims;
}

InputScale unit(Answers answers) {
  const Graph g = network(answers);
  const DimPlan dims = settled(g);
  return dims.kinds.at(g.inputs[0]).scale;
}

// A speaker encoder behind the logarithms of powers answered normalized spectra by chance, so all of it stayed in fp32.
TEST(SpectrumUnits, LogarithmsAsTheyAreWhereAllOthersAreAnsweredByChance) {
  EXPECT_EQ(unit(Answers::kCalmlyBelowZero), InputScale::kLogarithms);
}

TEST(SpectrumUnits, OtherModelsKeepWhatTheyHave) {
  EXPECT_EQ(unit(Answers::kCalmly), InputScale::kAny);
  EXPECT_EQ(unit(Answers::kByChance), InputScale::kAny);
}

// Natural logarithms and those to the base of ten, row by row.
TEST(SpectrumUnits, LogarithmsLieBelowZero) {
  const Graph g = network(Answers::kCalmlyBelowZero);
  const auto inputs = synthetic_inputs(g, settled(g), {8, 40, false});
  for (int64_t row = 0; row < 8; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 1600; ++i) sum += inputs[0].as<float>()[static_cast<size_t>(row) * 1600 + i];
    EXPECT_LT(sum / 1600, -1) << row;
    EXPECT_GT(sum / 1600, -14) << row;
  }
}

}  // namespace

}  // namespace edgeconv::testing
