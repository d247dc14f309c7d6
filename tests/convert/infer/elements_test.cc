// What inference knows of the elements of small integer tensors, row by row.
#include <gtest/gtest.h>

#include <limits>

#include "convert/infer/infer.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
namespace bp = ert::params::binary;
namespace un = ert::params::unary;

// Elements of small tensors, of which one is the size of an axis: what inference knows of them, or "unknown". `b` stands for the batch.
struct Element {
  const char* name;
  OpKind kind;
  Attributes attrs;
  std::vector<int64_t> other;  // second operand: behind the batch, or instead of it where `alone`
  std::string want;
  bool alone = false;
};

std::string element_of(const Element& e) {
  GraphBuilder b;
  const ValueId in = b.input("x", DType::kFloat, {B, 3});
  const ValueId batch = b.node(OpKind::kShape, {in}, ShapeAttrs{0, 1});
  std::vector<ValueId> ids = {e.alone ? b.ints(e.other) : batch};
  if (!e.alone && !e.other.empty()) ids.push_back(b.ints(e.other));
  const ValueId y = b.node(e.kind, ids, e.attrs);
  b.output(y);
  Diagnostics d;
  infer(b.g, d);
  if (!d.ok()) return "problem";
  const Value& v = b.g.value(y);
  if (v.constant && v.constant->elements() == 1) return std::to_string(v.constant->to_int64()[0]);
  return v.elements && v.elements->size() == 1 ? v.elements->at(0).str() : "unknown";
}

TEST(InferElements, OfASizeAndANumber) {
  const std::string b = B.str();
  const auto binary = [](const char* name, bp::Kind kind, int64_t other, std::string want) {
    return Element{name, OpKind::kBinary, BinaryAttrs{kind}, {other}, std::move(want)};
  };
  const auto unary = [](const char* name, int kind, std::string want) {
    return Element{name, OpKind::kUnary, UnaryAttrs{kind, 0}, {}, std::move(want)};
  };
  for (const Element& e : {
           binary("plus", bp::kAdd, 2, (B + DimExpr(2)).str()),
           binary("divided", bp::kDiv, 2, B.floor_div(DimExpr(2)).str()),
           binary("divided by what is below 0", bp::kDiv, -2, "unknown"),
           binary("divided by nothing", bp::kDiv, 0, "unknown"),
           binary("its rest", bp::kMod, 2, B.mod(DimExpr(2)).str()),
           binary("its rest by nothing", bp::kMod, 0, "unknown"),
           binary("its rest below 0", bp::kMod, -2, "unknown"),
           binary("squared", bp::kPow, 2, (B * B).str()),
           binary("to a negative power", bp::kPow, -1, "unknown"),
           binary("to a large power", bp::kPow, 1000, "unknown"),
           binary("its rest as in C", bp::kFmod, 2, "unknown"),
           binary("at least 0", bp::kMax, 0, b),
           binary("less than 0", bp::kLess, 0, "0"),
           unary("floor", un::kFloor, b),
           unary("ceiling", un::kCeil, b),
           unary("rounded", un::kRound, b),
           unary("squared alone", un::kSquare, (B * B).str()),
           unary("without its sign", un::kAbs, b),
           unary("its sign", un::kSign, "1"),
           unary("without what is below 0", static_cast<int>(ert::kernels::Unary::kRelu), b),
       }) {
    EXPECT_EQ(element_of(e), e.want) << e.name;
  }
}

// The processor traps where the least number is divided by -1: a file of 100 bytes ended the converter.
TEST(InferElements, TheLeastNumberByMinusOne) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  for (const auto& [kind, want] : {std::pair{bp::kDiv, least}, {bp::kMod, int64_t{0}}}) {
    GraphBuilder b;
    const ValueId y = b.node(OpKind::kBinary, {b.ints({least}), b.ints({-1})}, BinaryAttrs{kind});
    b.output(y);
    Diagnostics d;
    infer(b.g, d);
    EXPECT_TRUE(d.ok());
    ASSERT_TRUE(b.g.value(y).elements);
    EXPECT_EQ(b.g.value(y).elements->at(0), DimExpr(want));
  }
}

}  // namespace
}  // namespace edgeconv_test
