// An If whose condition depends on the data: both branches, then a selection. Anything with side effects stays as it is.
#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv {

int pass_select_quantized_branches(Graph& g, Diagnostics& d);
int pass_fold_dequantize(Graph& g, Diagnostics& d);

}  // namespace edgeconv

namespace edgeconv::testing {

namespace {

std::shared_ptr<Graph> branch(Unary kind, float factor) {
  GraphBuilder b;
  const ValueId x = b.input("captured", {B, 4});
  b.output(b.mul(b.unary(kind, x), b.scalar(factor)));
  return std::make_shared<Graph>(b.g);
}

// if sum(x) > 0: tanh(x) * 2 else: relu(x) * 3; the condition has the given shape.
GraphBuilder chosen_by_sum(bool vector_condition) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 4});
  const ValueId sum = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kSum, {0, 1}, false, false});
  ValueId condition = b.node(OpKind::kBinary, {sum, b.scalar(0)}, BinaryAttrs{binary::kGreater});
  if (vector_condition) condition = b.node(OpKind::kUnsqueeze, {condition, b.ints({0})}, AxesAttrs{{0}});
  b.output(b.node(OpKind::kIf, {condition, x}, SubgraphAttrs{{branch(Unary::kTanh, 2), branch(Unary::kRelu, 3)}, -1}));
  return b;
}

TEST(SelectBranches, ComputesBothAndSelects) {
  for (bool vector_condition : {false, true}) {
    GraphBuilder b = chosen_by_sum(vector_condition);
    finish(b.g);
    const Graph before = b.g;
    EXPECT_EQ(apply(b.g, {pass_select_branches}), 1);
    EXPECT_EQ(count(b.g, OpKind::kIf), 0);
    EXPECT_EQ(count(b.g, OpKind::kWhere), 1);
    // Both sides of the condition, whatever side the random inputs of apply() took.
    for (float sign : {1.0f, -1.0f}) {
      const std::vector<Tensor> x{Tensor::of<float>(DType::kFloat, {2, 4}, {sign, sign, sign, 0.5f, -0.5f, sign, sign, sign})};
      EXPECT_EQ(interpret(before, x)[0].to_float(), interpret(b.g, x)[0].to_float()) << sign;
    }
  }
}

// Weights that a branch dequantizes, of the graph's own integers: chosen before the passes for quantized models, which see the graph only. Others wait.
TEST(SelectBranches, QuantizedBranchesComeFirst) {
  const auto side = [](bool negative) {
    GraphBuilder s;
    const ValueId x = s.input("x", {B, 2});
    const ValueId codes = s.input("codes", {2, 2}, DType::kInt8);
    const ValueId w = s.node(OpKind::kDequantizeLinear, {codes, s.scalar(0.5f)}, QuantAttrs{});
    const ValueId y = s.node(OpKind::kMatMul, {x, w});
    s.output(negative ? s.unary(ert::params::unary::kNeg, y) : y);
    return std::make_shared<Graph>(s.g);
  };
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 2});
  const ValueId codes = b.g.add_constant("codes", Tensor::of<int8_t>(DType::kInt8, {2, 2}, {1, -2, 3, 100}));
  const ValueId sum = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kSum, {0, 1}, false, false});
  const ValueId condition = b.node(OpKind::kBinary, {sum, b.scalar(0)}, BinaryAttrs{binary::kGreater});
  b.output(b.node(OpKind::kIf, {condition, x, codes}, SubgraphAttrs{{side(false), side(true)}, -1}));
  finish(b.g);
  EXPECT_GT(apply(b.g, {pass_select_quantized_branches, pass_fold_dequantize}), 1);
  EXPECT_EQ(count(b.g, OpKind::kIf), 0);
  EXPECT_EQ(count(b.g, OpKind::kDequantizeLinear), 0);
  const std::vector<Tensor> in{Tensor::of<float>(DType::kFloat, {1, 2}, {-1, -2})};
  EXPECT_EQ(interpret(b.g, in)[0].to_float(), (std::vector<float>{3.5f, 99}));

  GraphBuilder plain = chosen_by_sum(false);
  finish(plain.g);
  EXPECT_EQ(apply(plain.g, {pass_select_quantized_branches}), 0);
}

// if sum(x) > 0: (if max(x) > 1: x else: tanh(x)) else: relu(x) * 3
TEST(SelectBranches, SelectsInsideOut) {
  GraphBuilder inner;
  const ValueId captured = inner.input("captured", {B, 4});
  const auto side = [](bool tanh) {
    GraphBuilder s;
    const ValueId v = s.input("captured", {B, 4});
    s.output(tanh ? s.unary(Unary::kTanh, v) : s.mul(v, s.scalar(1)));
    return std::make_shared<Graph>(s.g);
  };
  const ValueId largest = inner.node(OpKind::kReduce, {captured}, ReduceAttrs{reduce::kMax, {0, 1}, false, false});
  const ValueId above = inner.node(OpKind::kBinary, {largest, inner.scalar(1)}, BinaryAttrs{binary::kGreater});
  inner.output(inner.node(OpKind::kIf, {above, captured}, SubgraphAttrs{{side(false), side(true)}, -1}));
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 4});
  const ValueId sum = b.node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kSum, {0, 1}, false, false});
  const ValueId condition = b.node(OpKind::kBinary, {sum, b.scalar(0)}, BinaryAttrs{binary::kGreater});
  b.output(b.node(OpKind::kIf, {condition, x}, SubgraphAttrs{{std::make_shared<Graph>(inner.g), branch(Unary::kRelu, 3)}, -1}));
  finish(b.g);
  const Graph before = b.g;
  EXPECT_EQ(apply(b.g, {pass_select_branches}), 1);
  EXPECT_EQ(count(b.g, OpKind::kIf), 0);
  EXPECT_EQ(count(b.g, OpKind::kWhere), 2);
  EXPECT_EQ(count(before, OpKind::kIf), 1) << "other graphs share the branches";
  for (float first : {2.0f, 0.5f, -2.0f}) {
    const std::vector<Tensor> values{Tensor::of<float>(DType::kFloat, {1, 4}, {first, 0.25f, -0.5f, 0.75f})};
    EXPECT_EQ(interpret(before, values)[0].to_float(), interpret(b.g, values)[0].to_float()) << first;
  }
}

TEST(SelectBranches, CustomOperatorsDoNotRunUnasked) {
  GraphBuilder b = chosen_by_sum(false);
  finish(b.g);
  Node& node = const_cast<Node&>(only(b.g, OpKind::kIf));
  Graph& body = *node.as<SubgraphAttrs>().bodies[0];
  body.nodes[0].kind = OpKind::kCustom;
  Diagnostics d;
  EXPECT_EQ(pass_select_branches(b.g, d), 0);
}

}  // namespace

}  // namespace edgeconv::testing
