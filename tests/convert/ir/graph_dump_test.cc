// The listing of a graph: everything that a node and a value have is in it.
#include <gtest/gtest.h>

#include "convert/ir/attributes_text.h"
#include "convert/ir/graph.h"
#include "tests/convert/sizes.h"

namespace edgeconv {
namespace {

using testing::B;

TEST(GraphDump, ListsInputsConstantsNodesAndOutputs) {
  Graph g;
  const ValueId x = g.add_value("x", DType::kFloat, Shape{B, 2});
  g.inputs = {x};
  const ValueId w = g.add_constant("w", Tensor::of<float>(DType::kFloat, {2, 5}, {0.5f, -1, 0.25f, 2, 3, 4, 5, 6, 7, 8}));
  const ValueId shape = g.add_value("target", DType::kInt64, Shape{2});
  g.value(shape).elements = Shape{B, 5};
  LinearAttrs relu;
  relu.activation = static_cast<int>(ert::kernels::Unary::kRelu);
  const ValueId y = g.add_node(OpKind::kLinear, {x, w, kNone}, relu, {"/encoder/MatMul", "MatMul", ""}, "y");
  const ValueId z = g.add_node(OpKind::kReshape, {y, shape}, ReshapeAttrs{true}, {"r\n== fake", "Reshape", ""}, "z");
  g.value(y).dtype = DType::kFloat;
  g.value(y).shape = Shape{B, 5};
  g.add_constant("unread", Tensor::scalar(1.0f));
  g.outputs = {z};
  g.least_dims["batch"] = 3;
  g.equalities.push_back({B, DimExpr(5), {"m", "MatMul", ""}, "inner size of a MatMul"});
  EXPECT_EQ(g.dump(),
            "input %0 x: float32 [batch, 2]\n"
            "constant %1 w: float32 [2, 5] {0.5, -1, 0.25, 2, .. 10 elements}\n"
            "symbolic %2 target: int64 [2] {batch, 5}\n"
            "%3 y: float32 [batch, 5] = Linear(%0, %1, -) activation=relu  # MatMul /encoder/MatMul\n"
            "%4 z: ? [?] = Reshape(%3, %2) allow_zero=true  # Reshape r?== fake\n"
            "output %4 z: ? [?]\n"
            "dim batch >= 3\n"
            "equal batch and 5  # inner size of a MatMul m\n");
}

TEST(GraphDump, ListsBodies) {
  const auto body = std::make_shared<Graph>();
  body->inputs = {body->add_value("inner", DType::kBool, Shape{})};
  body->outputs = body->inputs;
  Graph g;
  g.inputs = {g.add_value("condition", DType::kBool, Shape{})};
  g.outputs = {g.add_node(OpKind::kIf, {0}, SubgraphAttrs{{body, body}, -1}, {"if", "If", ""}, "y")};
  const std::string text = g.dump();
  EXPECT_NE(
      text.find("= If(%0) bodies={body, body}, carried=-1, only=-1  # If if\n  body\n    input %0 inner: bool []\n    output %0 "
                "inner: bool []\n"),
      std::string::npos)
      << text;
}

TEST(AttributesText, NamesEveryField) {
  EXPECT_EQ(attributes_text({}), "");
  EXPECT_EQ(attributes_text(UnaryAttrs{ert::params::unary::kCelu, 0.5f}), "kind=celu, alpha=0.5");
  EXPECT_EQ(attributes_text(BinaryAttrs{ert::params::binary::kPRelu}), "kind=prelu");
  EXPECT_EQ(attributes_text(ReduceAttrs{ert::params::reduce::kLogSumExp, {0, -1}, false, true}),
            "kind=log_sum_exp, axes={0, -1}, keep_dims=false, noop_with_empty_axes=true");
  EXPECT_EQ(attributes_text(LinearAttrs{}), "activation=none");
  EXPECT_EQ(attributes_text(CastAttrs{DType::kFloat16}), "to=float16");
  EXPECT_EQ(attributes_text(EinsumAttrs{"ab,bc->ac"}), "equation=\"ab,bc->ac\"");
  EXPECT_EQ(attributes_text(FillAttrs{Tensor::scalar(2.5f)}), "value=float32{2.5}");
  ResizeAttrs resize;
  resize.mode = ResizeAttrs::kCubic;
  resize.coordinates = ResizeAttrs::kAsymmetric;
  resize.rounding = ResizeAttrs::kCeil;
  EXPECT_EQ(attributes_text(resize).rfind("mode=cubic, coordinates=asymmetric, rounding=ceil, ", 0), 0u);
  CustomAttrs custom{"my.ops", "Inverse2", {{"a", int64_t{3}}, {"b", std::vector<float>{1.5f}}, {"c", std::string("s")}}, {1, 0}};
  EXPECT_EQ(attributes_text(custom), "domain=\"my.ops\", name=\"Inverse2\", attributes={a=3, b={1.5}, c=\"s\"}, declared={1, 0}");
  EXPECT_EQ(elementwise_name(static_cast<int>(ert::kernels::Unary::kTanhCoarse)), "tanh_coarse");
  EXPECT_EQ(elementwise_name(ert::params::unary::kNeg), "neg");
  EXPECT_EQ(elementwise_name(60), "60");
}

TEST(TensorText, ShowsAFewElements) {
  EXPECT_EQ(tensor_text(Tensor::ints({1, 2, 3})), "{1, 2, 3}");
  EXPECT_EQ(tensor_text(Tensor(DType::kFloat, {0})), "{}");
  EXPECT_EQ(tensor_text(Tensor::ints({1, 2, 3, 4, 5, 6, 7, 8, 9})), "{1, 2, 3, 4, .. 9 elements}");
  EXPECT_EQ(tensor_text(Tensor::of<float>(DType::kFloat, {2}, {0.1f, -1e30f}).cast(DType::kBfloat16)).rfind("{0.1", 0), 0u);
  EXPECT_EQ(tensor_text(Tensor()), "{?}");
}

}  // namespace
}  // namespace edgeconv
