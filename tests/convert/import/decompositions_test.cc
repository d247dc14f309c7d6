// Operators that an importer writes as several nodes: what these compute, and their sizes.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

TEST(Importers, LpNormalizationOfZerosIsZero) {
  OneNode n(22);
  n.m.input("x", {"2", "2"});
  n.m.node("LpNormalization", {"x"}, {"y"});
  n.m.output("y");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  EXPECT_EQ(interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {2, 2}, {0, 0, 3, 4})})[0].to_float(),
            (std::vector<float>{0, 0, 0.6f, 0.8f}));
}

std::vector<float> result_of(OneNode& n, const Tensor& x) {
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  return interpret(n.imported.graph, {x})[0].to_float();
}

// Upsample 7 and 8 have the scales as an attribute, which was called malformed. What grows takes the position below, what shrinks (up to opset 10, as ONNX's tests
// and ONNX Runtime have it) the one above.
TEST(Importers, ScalesBeforeOpset11) {
  const auto rows = [](int opset, const char* op, const std::vector<float>& scales) {
    OneNode n(opset);
    n.m.input("x", {"2", "5"});
    if (opset >= 9) n.m.floats("scales", {2}, scales);
    auto* node = n.m.node(op, opset < 9 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "scales"}, {"y"});
    if (opset < 9) set_floats(node, "scales", scales);
    n.m.output("y");
    return result_of(n, Tensor::of<float>(DType::kFloat, {2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  };
  const std::vector<float> grown{0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9};
  EXPECT_EQ(rows(7, "Upsample", {1, 1.6f}), grown);
  EXPECT_EQ(rows(9, "Upsample", {1, 1.6f}), grown);
  EXPECT_EQ(rows(10, "Resize", {1, 0.6f}), (std::vector<float>{0, 2, 4, 5, 7, 9}));
  EXPECT_EQ(rows(10, "Resize", {2, 0.6f}), (std::vector<float>{0, 2, 4, 0, 2, 4, 5, 7, 9, 5, 7, 9}));
}

// The layers of a Transformer of Keras by tf2onnx: means over the last axis are GlobalAveragePools, for which the rank must be known when the file is
// read; every layer reads its input several times and gives its sizes as parts of a shape.
TEST(Importers, RanksAreKnownBehindManyNorms) {
  OneNode n(17);
  n.m.input("y0", {"B", "S", "8"});
  n.m.ints("first", {0, 1});
  n.m.ints("last", {8});
  n.m.ints("flat", {-1, 8});
  std::string y = "y0";
  for (int i = 0; i < 12; ++i) {
    const auto name = [&](const char* what) { return what + std::to_string(i); };
    n.m.node("GlobalAveragePool", {y}, {name("mean")});
    n.m.node("Sub", {y, name("mean")}, {name("centred")});
    n.m.node("Mul", {name("centred"), name("centred")}, {name("square")});
    n.m.node("GlobalAveragePool", {name("square")}, {name("variance")});
    n.m.node("Div", {name("centred"), name("variance")}, {name("norm")});
    n.m.node("Shape", {name("norm")}, {name("shape")});
    n.m.node("Gather", {name("shape"), "first"}, {name("rows")});
    set_int(n.m.node("Concat", {name("rows"), "last"}, {name("sizes")}), "axis", 0);
    set_int(n.m.node("Cast", {name("sizes")}, {name("whole")}), "to", 7);
    n.m.node("Reshape", {name("norm"), "flat"}, {name("flat_norm")});
    n.m.node("Reshape", {name("flat_norm"), name("whole")}, {name("back")});
    n.m.node("Add", {name("norm"), name("back")}, {name("y_")});
    y = name("y_");
  }
  n.m.output(y);
  EXPECT_FALSE(n.kinds().empty());
}

// GroupNorm of torch goes back to the Shape of what it read (PoolFormer), an Expand to a list of sizes.
TEST(Importers, RanksAreKnownBehindShapes) {
  OneNode n(17);
  n.m.input("x", {"B", "8", "H", "W"});
  n.m.ints("groups", {0, 2, -1});
  n.m.node("Shape", {"x"}, {"shape"});
  set_int(n.m.node("Shape", {"x"}, {"space"}), "start", -2);
  n.m.ints("front", {1, 8});
  n.m.node("Reshape", {"x", "groups"}, {"grouped"});
  n.m.node("Reshape", {"grouped", "shape"}, {"back"});
  set_int(n.m.node("Concat", {"front", "space"}, {"sizes"}), "axis", 0);
  n.m.node("Expand", {"back", "sizes"}, {"y_"});
  n.m.node("GlobalAveragePool", {"y_"}, {"y"});
  n.m.output("y");
  EXPECT_FALSE(n.kinds().empty());
}

// The same behind a product that TensorFlow Lite computes of quantized rows.
TEST(Importers, RanksAreKnownBehindDynamicQuantization) {
  OneNode n(17);
  n.m.input("x", {"B", "S", "8"});
  n.m.floats("w", {8, 8}, std::vector<float>(64, 0.5f));
  n.m.node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"});
  n.m.node("DequantizeLinear", {"q", "scale", "zero"}, {"restored"});
  n.m.node("MatMul", {"restored", "w"}, {"product"});
  n.m.node("GlobalAveragePool", {"product"}, {"y"});
  n.m.output("y");
  EXPECT_FALSE(n.kinds().empty());
}

// Keras' exact GELU: ONNX Runtime refuses the file.
TEST(Importers, ErfcOfTensorFlow) {
  OneNode n(17);
  n.m.input("x", {"3"});
  n.m.node("Erfc", {"x"}, {"y"});
  n.m.output("y");
  const std::vector<float> y = result_of(n, Tensor::of<float>(DType::kFloat, {3}, {0, 1, -2}));
  EXPECT_FLOAT_EQ(y[0], 1);
  EXPECT_NEAR(y[1], 0.15729921f, 1e-6);
  EXPECT_NEAR(y[2], 1.9953223f, 1e-6);
}

TEST(Importers, GeluOfTensorFlowLite) {
  for (const bool approximate : {false, true}) {
    OneNode n(17);
    n.m.input("x", {"2"});
    set_int(n.m.node("TFL_GELU", {"x"}, {"y"}), "approximate", approximate);
    n.m.output("y");
    EXPECT_NEAR(result_of(n, Tensor::of<float>(DType::kFloat, {2}, {2, 0}))[0], approximate ? 1.954598f : 1.954500f, 1e-6);
  }
}

TEST(Importers, LayerNormalizationGivesItsStatistics) {
  OneNode n(17);
  n.m.input("x", {"2", "4"});
  n.m.floats("g", {4}, {1, 1, 1, 1});
  n.m.node("LayerNormalization", {"x", "g"}, {"y", "mean", "factor"});
  n.m.output("y");
  EXPECT_EQ(n.kinds(), Kinds{"LayerNormalization"});
  n.m.output("mean");
  n.m.output("factor");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  const auto got = interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {2, 4}, {1, 2, 3, 4, 0, 0, 8, 8})});
  EXPECT_EQ(got[1].to_float(), (std::vector<float>{2.5f, 4}));
  EXPECT_NEAR(got[2].to_float()[1], 0.25, 1e-6);
}

// The ends of the domains divide by zero or take a logarithm of it on the way.
TEST(Importers, InverseFunctionsAtTheEndsOfTheirDomains) {
  const auto outputs = [](const char* op, const std::vector<float>& x) {
    OneNode n(17);
    n.m.input("x", {std::to_string(x.size())});
    n.m.node(op, {"x"}, {"y"});
    n.m.output("y");
    n.kinds();
    Diagnostics d;
    infer(n.imported.graph, d);
    return interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(x.size())}, x)})[0].to_float();
  };
  const auto expect_near = [](const std::vector<float>& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 3e-7 * std::max(1.0, std::abs(expected[i]))) << i;
  };
  const double half_pi = std::acos(0.0);
  expect_near(outputs("Atan", {0, -1, 1e-3f, 3e38f, -3e38f}), {0, -half_pi / 2, std::atan(1e-3), half_pi, -half_pi});
  expect_near(outputs("Asin", {0, 1, -1, 1e-4f}), {0, half_pi, -half_pi, std::asin(1e-4)});
  expect_near(outputs("Acos", {0, 1, -1, 0.9999f}), {half_pi, 0, 2 * half_pi, std::acos(double{0.9999f})});
  expect_near(outputs("Sinh", {0, 1e-4f, -1, 9}), {0, std::sinh(1e-4), std::sinh(-1.0), std::sinh(9.0)});
  expect_near(outputs("Asinh", {0, -2, 1e9f}), {0, std::asinh(-2.0), std::asinh(1e9)});
  expect_near(outputs("Acosh", {1, 2, 1e9f}), {0, std::acosh(2.0), std::acosh(1e9)});
}

TEST(Importers, ShrinkMovesTowardsZero) {
  OneNode n(9);
  n.m.input("x", {"5"});
  auto* shrink = n.m.node("Shrink", {"x"}, {"y"});
  set_float(shrink, "lambd", 1);
  set_float(shrink, "bias", 0.5f);
  n.m.output("y");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  EXPECT_EQ(interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {5}, {-2, -1, 0.5f, 1, 3})})[0].to_float(),
            (std::vector<float>{-1.5f, 0, 0, 0, 2.5f}));
}

// Two rows of a batch are written at positions of their own, the second one around the end.
TEST(Importers, TensorScatterWritesIntoACache) {
  OneNode n(24);
  n.m.input("cache", {"2", "1", "4", "1"});
  n.m.input("update", {"2", "1", "2", "1"});
  n.m.input("first", {"2"}, 7);
  auto* node = n.m.node("TensorScatter", {"cache", "update", "first"}, {"y"});
  set_text(node, "mode", "circular");
  n.m.output("y");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  EXPECT_EQ(interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {2, 1, 4, 1}, {0, 0, 0, 0, 0, 0, 0, 0}),
                                         Tensor::of<float>(DType::kFloat, {2, 1, 2, 1}, {1, 2, 3, 4}), Tensor::ints({1, 3})})[0]
                .to_float(),
            (std::vector<float>{0, 1, 2, 0, 4, 0, 0, 3}));
  set_int(node, "axis", 0);
  EXPECT_NE(n.message().find("behind the batch"), std::string::npos) << n.message();
  node->mutable_attribute(0)->set_s("ring");
  EXPECT_NE(n.message().find("neither linear nor circular"), std::string::npos) << n.message();
}

TEST(Importers, BatchNormalizationInTrainingUsesTheRun) {
  OneNode n(15);
  n.m.input("x", {"2", "2"});
  for (const char* name : {"scale", "var"}) n.m.floats(name, {2}, {1, 2});
  for (const char* name : {"bias", "mean"}) n.m.floats(name, {2}, {10, 20});
  auto* node = n.m.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y", "now", "spread"});
  set_int(node, "training_mode", 1);
  set_float(node, "momentum", 0.5f);
  set_float(node, "epsilon", 0);
  for (const char* name : {"y", "now", "spread"}) n.m.output(name);
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  const auto got = interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {2, 2}, {1, 0, 3, 8})});
  EXPECT_EQ(got[0].to_float(), (std::vector<float>{9, 18, 11, 22}));
  EXPECT_EQ(got[1].to_float(), (std::vector<float>{6, 12}));
  EXPECT_EQ(got[2].to_float(), (std::vector<float>{1, 9}));
}

TEST(Importers, ScanOfTheWrongForm) {
  OneNode n(17);
  n.m.input("x", {"T", "2"});
  auto* node = n.m.node("Scan", {"x"}, {"y"});
  n.m.output("y");
  set_int(node, "num_scan_inputs", 1);
  auto* body = attribute(node, "body", 5)->mutable_g();
  body->add_input()->set_name("part");
  ModelBuilder::fill(body->add_node(), "Neg", {"part"}, {"less"});
  body->add_output()->set_name("less");
  n.kinds();
  set_ints(node, "scan_input_directions", {2});
  EXPECT_NE(n.message().find("neither 0 nor 1"), std::string::npos) << n.message();
  node->mutable_attribute()->RemoveLast();
  set_ints(node, "scan_output_axes", {0, 1});
  EXPECT_NE(n.message().find("scan outputs"), std::string::npos) << n.message();
  node->mutable_attribute()->RemoveLast();
  body->add_input()->set_name("more");
  EXPECT_NE(n.message().find("its body does not take"), std::string::npos) << n.message();
  OneNode old(8);
  old.m = n.m;
  old.m.model.mutable_opset_import(0)->set_version(8);
  old.m.graph = old.m.model.mutable_graph();
  EXPECT_NE(old.message().find("opset 8"), std::string::npos) << old.message();
}

}  // namespace
}  // namespace edgeconv
