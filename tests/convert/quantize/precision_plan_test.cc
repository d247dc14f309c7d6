// The plan of precisions as a value: what it says, when two are equal, and which layers can be int8 at all.
#include "convert/quantize/precision_plan.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "convert/quantize/deep_layers.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

namespace linear = ert::params::linear;

TEST(PrecisionPlan, WhatIsNotPlannedIsFp32) {
  PrecisionPlan plan;
  plan.set(5, linear::kInt8);
  EXPECT_EQ(plan.of(5).precision, linear::kInt8);
  EXPECT_EQ(plan.of(4), LayerPlan{});
  EXPECT_EQ(plan.of(6).precision, linear::kF32);
}

TEST(PrecisionPlan, ALayerThatChangesItsPrecisionKeepsItsSmoothing) {
  PrecisionPlan plan;
  plan.set(1, {linear::kInt8, true});
  plan.set(1, linear::kF32);
  plan.set(1, linear::kInt8A16);
  EXPECT_EQ(plan.of(1), (LayerPlan{linear::kInt8A16, true}));
}

// The order in which layers were set leaves no trace.
TEST(PrecisionPlan, EqualPlansAreEqualHashEqualAndReadEqual) {
  PrecisionPlan a, b;
  for (const NodeId id : {7, 2, 9}) a.set(id, linear::kInt8);
  for (const NodeId id : {9, 7, 2}) b.set(id, linear::kF32);
  for (const NodeId id : {2, 7, 9}) b.set(id, linear::kInt8);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_EQ(a.str(), b.str());
}

TEST(PrecisionPlan, EveryDecisionTellsPlansApart) {
  PrecisionPlan base;
  base.set(3, linear::kInt8);
  std::vector<PrecisionPlan> plans(8, base);
  plans[1].int8_attention = false;
  plans[2].int8_tables = false;
  plans[3].int8_attention = plans[3].int8_tables = false;
  plans[4].set(3, linear::kInt8A16);
  plans[5].set(3, {linear::kInt8, true});
  plans[6].set(4, linear::kInt8);
  plans[7].int8_tables = false;
  plans[7].int16_tables = true;
  std::unordered_map<PrecisionPlan, size_t> known;
  std::unordered_map<std::string, size_t> read;
  std::unordered_map<size_t, size_t> hashes;
  for (size_t i = 0; i < plans.size(); ++i) known[plans[i]] = read[plans[i].str()] = hashes[plans[i].hash()] = i;
  EXPECT_EQ(known.size(), plans.size());
  EXPECT_EQ(read.size(), plans.size());
  EXPECT_EQ(hashes.size(), plans.size()) << "so few plans collide by a bad hash only";
}

TEST(PrecisionPlan, CountsAndText) {
  PrecisionPlan plan;
  plan.set(7, linear::kF32);
  plan.set(3, {linear::kInt8, true});
  plan.set(4, linear::kInt8A16);
  plan.set(5, linear::kInt8);
  plan.int8_tables = false;
  EXPECT_EQ(plan.count(linear::kInt8), 2);
  EXPECT_EQ(plan.count(linear::kInt8A16), 1);
  EXPECT_EQ(plan.count(linear::kF32), 1);
  EXPECT_EQ(plan.str(), "attention int8, tables fp32, layers 3 int8 smoothed, 4 w8a16, 5 int8, 7 fp32");
  EXPECT_EQ(PrecisionPlan().str(), "attention int8, tables int8");
}

// A sum over more than kMaxExactDepth products overflows, and what a cast makes integers of must be exact.
TEST(Int8Plan, LeavesOutWhatCannotBeInt8) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8}),
                deep = b.input("deep", {DimExpr::symbol("batch"), ert::params::kMaxExactDepth + 1});
  const ValueId plain = b.node(OpKind::kLinear, {x, b.weights({8, 4}), kNone}, LinearAttrs{});
  b.output(plain);
  b.output(b.node(OpKind::kLinear, {deep, b.weights({ert::params::kMaxExactDepth + 1, 2}), kNone}, LinearAttrs{}));
  b.output(
      b.node(OpKind::kCast, {b.node(OpKind::kLinear, {x, b.weights({8, 3}), kNone}, LinearAttrs{})}, CastAttrs{DType::kInt64}));
  finish(b.g);
  const PrecisionPlan plan = int8_plan(b.g);
  ASSERT_EQ(plan.layers().size(), 1u) << plan.str();
  EXPECT_EQ(plan.layers()[0].second, (LayerPlan{linear::kInt8, false}));
  EXPECT_EQ(b.g.producer(plain), &b.g.node(plan.layers()[0].first));
  // A convolution of 72,600 weights an output became fp32 under --precision int8 without a word.
  Diagnostics d;
  warn_of_deep_layers(b.g, d);
  ASSERT_EQ(d.warnings().size(), 1u);
  EXPECT_NE(d.warnings()[0].find("1 layer sums more than 65000 products for an output"), std::string::npos) << d.warnings()[0];
}

}  // namespace

}  // namespace edgeconv::testing
