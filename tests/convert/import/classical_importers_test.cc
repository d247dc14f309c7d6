// Operators of ai.onnx.ml. What is expected is what ONNX Runtime 1.31 gives.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

std::vector<Tensor> results_of(OneNode& n, const Tensor& x) {
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  return interpret(n.imported.graph, {x});
}

void expect_near(const Tensor& got, const std::vector<float>& want) {
  const std::vector<float> v = got.to_float();
  ASSERT_EQ(v.size(), want.size());
  for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], want[i], 1e-6f) << i;
}

// What scikit-learn's pipelines have around an MLP.
TEST(Importers, ScalerSubtractsAndMultiplies) {
  for (const size_t size : {1, 2}) {
    OneNode n(17);
    n.m.opset_import("ai.onnx.ml", 1);
    n.m.input("x", {"2", "2"});
    auto* node = n.m.node("Scaler", {"x"}, {"y"}, "ai.onnx.ml");
    set_floats(node, "offset", size == 1 ? std::vector<float>{1} : std::vector<float>{1, 2});
    set_floats(node, "scale", size == 1 ? std::vector<float>{2} : std::vector<float>{2, 4});
    n.m.output("y");
    EXPECT_EQ(results_of(n, Tensor::of<float>(DType::kFloat, {2, 2}, {1, 2, 3, 4}))[0].to_float(),
              size == 1 ? (std::vector<float>{0, 2, 4, 6}) : (std::vector<float>{0, 0, 4, 8}));
  }
}

TEST(Importers, ArrayFeatureExtractorTakesElementsOfTheLastAxis) {
  for (const bool matrix : {false, true}) {
    OneNode n(17);
    n.m.opset_import("ai.onnx.ml", 1);
    matrix ? n.m.input("x", {"2", "3"}) : n.m.input("x", {"3"});
    n.m.ints("list", {2, 0});
    n.m.node("ArrayFeatureExtractor", {"x", "list"}, {"y"}, "ai.onnx.ml");
    n.m.output("y");
    const Tensor x =
        matrix ? Tensor::of<float>(DType::kFloat, {2, 3}, {1, 2, 3, 4, 5, 6}) : Tensor::of<float>(DType::kFloat, {3}, {1, 2, 3});
    EXPECT_EQ(results_of(n, x)[0].to_float(), matrix ? (std::vector<float>{3, 1, 6, 4}) : (std::vector<float>{3, 1}));
    EXPECT_EQ(n.imported.graph.value(n.imported.graph.outputs[0]).rank(), 2);
  }
}

const Tensor kRows = Tensor::of<float>(DType::kFloat, {3, 2}, {1, 2, -1, 0.5f, 0, 0});

// label and scores of kRows, or of the first row as a vector
std::vector<Tensor> classified(const std::string& transform, const std::vector<float>& coefficients,
                               const std::vector<float>& intercepts, const std::vector<int64_t>& labels, bool vector = false) {
  OneNode n(17);
  n.m.opset_import("ai.onnx.ml", 1);
  vector ? n.m.input("x", {"2"}) : n.m.input("x", {"3", "2"});
  auto* node = n.m.node("LinearClassifier", {"x"}, {"label", "scores"}, "ai.onnx.ml");
  set_floats(node, "coefficients", coefficients);
  set_floats(node, "intercepts", intercepts);
  set_ints(node, "classlabels_ints", labels);
  set_text(node, "post_transform", transform);
  n.m.output("label");
  n.m.output("scores");
  return results_of(n, vector ? Tensor::of<float>(DType::kFloat, {2}, {1, 2}) : kRows);
}

TEST(Importers, LinearClassifierGivesLabelsAndScores) {
  const std::vector<float> rows{1, 0, 0, 1, -1, -1}, intercepts{0.1f, 0.2f, 0};
  const std::vector<std::pair<std::string, std::vector<float>>> cases = {
      {"NONE", {1.1f, 2.2f, -3, -0.9f, 0.7f, 0.5f, 0.1f, 0.2f, 0}},
      {"SOFTMAX",
       {0.24871053f, 0.7471677f, 0.0041218f, 0.09991775f, 0.49489582f, 0.40518644f, 0.332225f, 0.3671654f, 0.30060962f}},
      {"LOGISTIC", {0.7502601f, 0.9002496f, 0.04742587f, 0.28905052f, 0.66818774f, 0.6224593f, 0.5249792f, 0.549834f, 0.5f}}};
  for (const auto& [transform, scores] : cases) {
    const auto y = classified(transform, rows, intercepts, {5, 6, 7});
    EXPECT_EQ(y[0].dtype(), DType::kInt64);
    EXPECT_EQ(y[0].to_int64(), (std::vector<int64_t>{6, 6, 6}));
    expect_near(y[1], scores);
  }
  const auto y = classified("NONE", rows, intercepts, {5, 6, 7}, true);
  EXPECT_EQ(y[0].to_int64(), (std::vector<int64_t>{6}));
  EXPECT_EQ(y[1].dims(), (std::vector<int64_t>{1, 3}));
}

// One row of coefficients is the score of the second label.
TEST(Importers, LinearClassifierOfTwoLabelsHasOneRow) {
  const std::vector<float> logistic{0.10909683f, 0.8909032f, 0.65701044f, 0.34298956f, 0.47502083f, 0.5249792f};
  const std::vector<float> plain{-1.1f, 2.1f, 1.65f, -0.65f, 0.9f, 0.1f};
  for (const std::string transform : {"NONE", "SOFTMAX", "LOGISTIC"}) {
    const auto y = classified(transform, {1, 0.5f}, {0.1f}, {5, 6});
    EXPECT_EQ(y[0].to_int64(), (std::vector<int64_t>{6, 5, 6}));
    expect_near(y[1], transform == "LOGISTIC" ? logistic : plain);
  }
}

TEST(Importers, LinearRegressorGivesItsTargets) {
  for (const bool two : {false, true}) {
    OneNode n(17);
    n.m.opset_import("ai.onnx.ml", 1);
    n.m.input("x", {"3", "2"});
    auto* node = n.m.node("LinearRegressor", {"x"}, {"y"}, "ai.onnx.ml");
    set_floats(node, "coefficients", two ? std::vector<float>{1, 0.5f, 2, 3} : std::vector<float>{1, 0.5f});
    if (two) set_floats(node, "intercepts", {0.1f, 0.2f});
    if (two) set_int(node, "targets", 2);
    n.m.output("y");
    expect_near(results_of(n, kRows)[0],
                two ? std::vector<float>{2.1f, 8.2f, -0.65f, -0.3f, 0.1f, 0.2f} : std::vector<float>{2, -0.75f, 0});
  }
}

// MAX is the largest element, not the largest magnitude; rows of zeros stay.
TEST(Importers, NormalizerDividesRowsByTheirNorm) {
  const std::vector<std::pair<std::string, std::vector<float>>> cases = {
      {"MAX", {0.5f, 1, -2, 1, 0, 0}},
      {"L1", {1 / 3.0f, 2 / 3.0f, -2 / 3.0f, 1 / 3.0f, 0, 0}},
      {"L2", {0.4472136f, 0.8944272f, -0.8944272f, 0.4472136f, 0, 0}}};
  for (const auto& [norm, want] : cases) {
    OneNode n(17);
    n.m.opset_import("ai.onnx.ml", 1);
    n.m.input("x", {"3", "2"});
    set_text(n.m.node("Normalizer", {"x"}, {"y"}, "ai.onnx.ml"), "norm", norm);
    n.m.output("y");
    expect_near(results_of(n, kRows)[0], want);
  }
}

TEST(Importers, LinearClassifierRefusesWhatItCannotBe) {
  const auto message = [](const std::vector<float>& coefficients, const std::vector<float>& intercepts,
                          const std::vector<int64_t>& labels, const std::string& transform = "NONE") {
    OneNode n(17);
    n.m.opset_import("ai.onnx.ml", 1);
    n.m.input("x", {"3", "2"});
    auto* node = n.m.node("LinearClassifier", {"x"}, {"label", "scores"}, "ai.onnx.ml");
    set_floats(node, "coefficients", coefficients);
    set_floats(node, "intercepts", intercepts);
    if (!labels.empty()) set_ints(node, "classlabels_ints", labels);
    set_text(node, "post_transform", transform);
    n.m.output("scores");
    return n.message();
  };
  EXPECT_NE(message({1, 2, 3, 4}, {0, 0}, {}).find("labels that are no integers"), std::string::npos);
  EXPECT_NE(message({1, 2, 3, 4}, {0, 0}, {1, 2}, "PROBIT").find("the post_transform PROBIT"), std::string::npos);
  EXPECT_NE(message({1, 2, 3}, {0, 0}, {1, 2}).find("3 coefficients do not make 2 equal rows"), std::string::npos);
  EXPECT_NE(message({1, 2, 3, 4}, {0, 0}, {1, 2, 3}).find("another number of labels"), std::string::npos);
}

}  // namespace
}  // namespace edgeconv
