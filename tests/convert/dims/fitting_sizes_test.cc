// The smallest sizes of dims that leave every operator something to work on.
#include "convert/dims/fitting_sizes.h"

#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

// ceil((2 - 3) / 2) + 1 is 1: a window of 3 rows takes the 2 that there are.
TEST(FittingSizes, TheFirstWindowOfAPoolThatRoundsUpMayReachBeyondTheEnd) {
  for (const bool rounds_up : {false, true}) {
    GraphBuilder b;
    ConvAttrs a;
    a.kernel = {3, 1};
    a.strides = {2, 1};
    a.ceil_mode = rounds_up;
    b.output(b.node(OpKind::kMaxPool, {b.input("x", {1, 1, DimExpr::symbol("rows"), 1})}, a));
    finish(b.g);
    const DimPlan plan = plan_dims(b.g, {{"rows", 16}});
    EXPECT_EQ(plan.range.at("rows").first, rounds_up ? 2 : 3);
    if (!rounds_up) continue;
    const auto y = interpret(b.g, {Tensor::of<float>(DType::kFloat, {1, 1, 2, 1}, {-3, -2})});
    EXPECT_EQ(y[0].to_float(), std::vector<float>({-2}));
  }
}

// Two frames with a mirror of three ran, and gave numbers, where PyTorch and ONNX Runtime refuse them.
TEST(FittingSizes, AMirrorIsShorterThanItsAxis) {
  for (const bool named : {false, true}) {  // with the axes that are padded
    GraphBuilder b;
    PadAttrs reflect;
    reflect.mode = ert::params::pad::kReflect;
    const ValueId x = b.input("x", {4, DimExpr::symbol("frames")});
    const std::vector<ValueId> whole{x, b.ints({0, 2, 0, 3})}, one{x, b.ints({2, 3}), kNone, b.ints({-1})};
    b.output(b.node(OpKind::kPad, named ? one : whole, reflect));
    finish(b.g);
    EXPECT_EQ(plan_dims(b.g, {{"frames", 16}}).range.at("frames").first, 4);
  }
}

TEST(FittingSizes, MaximaThatAreTooSmallNameTheNode) {
  GraphBuilder b;
  ConvAttrs a;
  a.kernel = {7};
  a.strides = {1};
  b.output(b.node(OpKind::kMaxPool, {b.input("x", {1, 4, DimExpr::symbol("rows")})}, a));
  finish(b.g);
  try {
    plan_dims(b.g, {{"rows", 3}});
    FAIL() << "3 rows for a window of 7";
  } catch (const FatalError& e) {
    const std::string said = e.what();
    EXPECT_EQ(e.code(), ExitCode::kUsage);
    for (const char* told : {"rows=3", b.g.nodes[0].origin.op_type.c_str(), "--dim rows="}) EXPECT_NE(said.find(told), std::string::npos) << said;
  }
}

}  // namespace

}  // namespace edgeconv::testing
