// Element types that the runtime does not have as such: what lowering makes of them computes what the interpreter computes.
#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

template <class T>
Tensor tensor(DType t, const std::vector<T>& v) {
  return Tensor::of<T>(t, {static_cast<int64_t>(v.size())}, v);
}

void expect_same(GraphBuilder& b, const std::vector<Tensor>& inputs) {
  finish(b.g);
  const auto want = interpret(b.g, inputs, {Backend::kCanonical, {}}), got = run_lowered(b.g, inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].same_bytes(want[i])) << "output " << i;
}

const Tensor kBytes = Tensor::of<uint8_t>(DType::kUint8, {4}, {200, 100, 7, 255});
const Tensor kSigned = Tensor::of<int8_t>(DType::kInt8, {4}, {-128, 127, -3, 100});

TEST(ElementTypes, BytesWrap) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4}, DType::kUint8), y = b.input("y", {4}, DType::kInt8);
  b.output(b.add(x, x));
  b.output(b.mul(x, x));
  b.output(b.sub(y, b.add(y, y)));
  b.output(b.unary(unary::kNeg, y));
  b.output(b.node(OpKind::kReduce, {y}, ReduceAttrs{reduce::kSum, {0}, true, false}));
  expect_same(b, {kBytes, kSigned});
}

TEST(ElementTypes, NarrowingCastsWrap) {
  GraphBuilder b;
  const ValueId in = b.input("x", {5}, DType::kInt64);
  for (DType to : {DType::kUint8, DType::kInt8, DType::kInt16, DType::kUint16}) {
    const ValueId narrow = b.node(OpKind::kCast, {in}, CastAttrs{to});
    b.output(b.node(OpKind::kCast, {narrow}, CastAttrs{DType::kInt64}));
  }
  const Tensor x = Tensor::ints({300, -1, 40000, -40000, 127});
  expect_same(b, {x});
  const auto got = run_lowered(b.g, {x});
  EXPECT_EQ(got[0].to_int64(), (std::vector<int64_t>{44, 255, 64, 192, 127}));
  EXPECT_EQ(got[1].to_int64(), (std::vector<int64_t>{44, -1, 64, -64, 127}));
  EXPECT_EQ(got[2].to_int64(), (std::vector<int64_t>{300, -1, -25536, 25536, 127}));
  EXPECT_EQ(got[3].to_int64(), (std::vector<int64_t>{300, 65535, 40000, 25536, 127}));
}

TEST(ElementTypes, PowTakesTheTypeOfItsBase) {
  GraphBuilder b;
  const ValueId i = b.input("i", {4}, DType::kInt32), f = b.input("f", {4});
  b.output(b.pow(i, f));
  b.output(b.pow(f, i));
  b.output(b.pow(i, i));
  expect_same(b, {tensor<int32_t>(DType::kInt32, {1, 2, 3, 4}), tensor<float>(DType::kFloat, {2, 0.5f, 3, 1})});
}

TEST(ElementTypes, ReduceOfTruth) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 3}, DType::kBool);
  b.output(b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMax, {1}, false, false}));
  b.output(b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMin, {0}, true, false}));
  expect_same(b, {Tensor::of<uint8_t>(DType::kBool, {2, 3}, {0, 1, 1, 0, 1, 0})});
}

// The axes of RMSNormalization's function body are a Range: known, but no attribute.
TEST(ElementTypes, ReduceOverComputedAxes) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 3});
  const ValueId axes = b.g.add_value("axes", DType::kInt64, Shape{1});
  b.g.value(axes).elements = std::vector<DimExpr>{DimExpr(1)};
  b.output(b.node(OpKind::kReduce, {x, axes}, ReduceAttrs{reduce::kMax, {}, true, false}));
  expect_same(b, {Tensor::of<float>(DType::kFloat, {2, 3}, {1, 5, 2, -1, -7, -2})});
}

TEST(ElementTypes, ReluOfIntegers) {
  GraphBuilder b;
  b.output(b.unary(Unary::kRelu, b.input("x", {3}, DType::kInt32)));
  expect_same(b, {tensor<int32_t>(DType::kInt32, {-5, 0, 9})});
}

TEST(ElementTypes, OneHotOfFloats) {
  GraphBuilder b;
  b.output(b.node(OpKind::kOneHot, {b.input("x", {3}), b.constant(Tensor::scalar(int64_t{4})), b.ints({0, 7})}, AxisAttrs{-1}));
  expect_same(b, {tensor<float>(DType::kFloat, {1, 3, -1})});
}

// Tiling inserts an axis for every repeated one, for which rank 6 has no room.
TEST(ElementTypes, TileOfManyAxes) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 1, 2, 1, 3, 1});
  b.output(b.node(OpKind::kTile, {x, b.ints({2, 2, 3, 1, 3, 1})}));
  std::vector<float> values(12);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  expect_same(b, {Tensor::of<float>(DType::kFloat, {2, 1, 2, 1, 3, 1}, values)});
}

// Refused with a reason instead of a blob that contradicts itself.
TEST(ElementTypes, WhatOnlyFloatsHaveIsRefused) {
  GraphBuilder b;
  const ValueId x = b.input("x", {3}, DType::kInt32);
  b.output(b.unary(Unary::kSigmoid, x));
  b.output(b.node(OpKind::kBinary, {x, x}, BinaryAttrs{binary::kPRelu}));
  finish(b.g);
  Diagnostics d;
  lower(b.g, {}, d);
  EXPECT_EQ(d.problems().size(), 2u);
}

}  // namespace

}  // namespace edgeconv::testing
