// Windows, the mel matrix, transforms and transposed convolutions: attributes of every version, and the numbers that tables hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/interp/portable_math.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

const double kPi = std::acos(-1.0);

TEST(PortableMath, TurnsAgreeWithTheLibrary) {
  for (int64_t n : {1, 2, 3, 8, 400, 512, 1031})
    for (int64_t k = -n; k <= 2 * n; ++k) {
      EXPECT_NEAR(turn(k, n).cosine, std::cos(2 * kPi * static_cast<double>(k) / static_cast<double>(n)), 4e-15) << k << "/" << n;
      EXPECT_NEAR(turn(k, n).sine, std::sin(2 * kPi * static_cast<double>(k) / static_cast<double>(n)), 4e-15) << k << "/" << n;
    }
  EXPECT_EQ(turn(3, 4).sine, -1);
  EXPECT_EQ(turn(3, 4).cosine, 0);
  EXPECT_EQ(turn((int64_t{1} << 58) - 1, int64_t{1} << 58).cosine, 1);
}

TEST(PortableMath, ExponentialsAgreeWithTheLibrary) {
  for (double x = -700; x < 700; x += 0.37) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-15) << x;
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e9), 0);
  EXPECT_TRUE(std::isinf(portable_exp(1e9)));
}

// Imports and infers; what inference found.
std::string problem_of(OneNode& n) {
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  try {
    d.check();
    return "";
  } catch (const FatalError& e) {
    return e.what();
  }
}

std::vector<float> window(const char* op, int64_t size, int64_t periodic) {
  OneNode n(17);
  n.m.ints("size", {size});
  set_int(n.m.node(op, {"size"}, {"y"}), "periodic", periodic);
  n.m.output("y");
  EXPECT_EQ(problem_of(n), "");
  const Graph& g = n.imported.graph;
  const auto& c = g.value(g.outputs[0]).constant;
  EXPECT_TRUE(c.has_value()) << "a table";
  return c ? c->to_float() : std::vector<float>{};
}

TEST(Importers, WindowsOfConstantSizeAreTables) {
  for (int64_t periodic : {0, 1})
    for (int64_t size : {2, 3, 16, 401}) {
      const double whole = static_cast<double>(periodic ? size : size - 1);
      const auto hann = window("HannWindow", size, periodic), hamming = window("HammingWindow", size, periodic),
                 blackman = window("BlackmanWindow", size, periodic);
      ASSERT_EQ(static_cast<int64_t>(hann.size()), size);
      for (int64_t i = 0; i < size; ++i) {
        const double x = 2 * kPi * static_cast<double>(i) / whole;
        const auto at = static_cast<size_t>(i);
        const double square = std::sin(x / 2) * std::sin(x / 2);
        EXPECT_NEAR(hann[at], square, 1e-7 * square + 1e-30) << i << " of " << size;
        EXPECT_NEAR(hamming[at], 25.0 / 46 - 21.0 / 46 * std::cos(x), 6e-8);
        EXPECT_NEAR(blackman[at], 0.42 - 0.5 * std::cos(x) + 0.08 * std::cos(2 * x), 6e-8);
      }
    }
  EXPECT_EQ(window("HannWindow", 1, 0), std::vector<float>{0}) << "ONNX Runtime divides 0 by 0";
  EXPECT_TRUE(window("HannWindow", 0, 1).empty());
}

// Of 40 windows of 2^22 samples tables had 640 MB, for 2.7 kB of file: together they have an end, what is behind it is computed.
TEST(Importers, TablesOfWindowsHaveAnEnd) {
  const auto computed = [](int64_t size, int count) {
    OneNode n(17);
    n.m.ints("size", {size});
    for (int i = 0; i < count; ++i) {
      n.m.node(i % 2 ? "HannWindow" : "BlackmanWindow", {"size"}, {"y" + std::to_string(i)});
      n.m.output("y" + std::to_string(i));
    }
    const Kinds kinds = n.kinds();
    return std::count(kinds.begin(), kinds.end(), "Range");
  };
  EXPECT_EQ(computed(1 << 18, 4), 0);
  EXPECT_EQ(computed(1 << 18, 6), 2);
  EXPECT_EQ(computed((1 << 20) + 1, 1), 1);
  EXPECT_EQ(computed(INT64_MAX, 2), 2);
}

TEST(Importers, WindowsOfOtherTypesAndWrongSizes) {
  OneNode n(17);
  n.m.ints("size", {5});
  auto* node = n.m.node("HammingWindow", {"size"}, {"y"});
  set_int(node, "periodic", 0);
  set_int(node, "output_datatype", 7);
  n.m.output("y");
  EXPECT_EQ(problem_of(n), "");
  EXPECT_EQ(n.imported.graph.value(n.imported.graph.outputs[0]).constant->to_int64(), (std::vector<int64_t>{0, 0, 1, 0, 0}));
  OneNode negative(17);
  negative.m.ints("size", {-3});
  negative.m.node("HannWindow", {"size"}, {"y"});
  negative.m.output("y");
  EXPECT_NE(negative.message().find("its size is -3"), std::string::npos) << negative.message();
}

// The axis is an attribute of 1 before opset 20, and an input of -2 from then on.
TEST(Importers, DftAxisFromAttributeAndInput) {
  const auto axis_of = [](int opset, bool given) {
    OneNode n(opset);
    n.m.input("x", {"2", "3", "4", "1"});
    n.m.ints("axis", {0});
    auto* node =
        n.m.node("DFT", given && opset >= 20 ? std::vector<std::string>{"x", "", "axis"} : std::vector<std::string>{"x"}, {"y"});
    if (given && opset < 20) set_int(node, "axis", 0);
    n.m.output("y");
    EXPECT_EQ(n.kinds(), Kinds{"Dft"});
    return n.imported.graph.nodes[0].as<DftAttrs>().axis;
  };
  EXPECT_EQ(axis_of(17, false), 1);
  EXPECT_EQ(axis_of(17, true), 0);
  EXPECT_EQ(axis_of(20, false), -2);
  EXPECT_EQ(axis_of(20, true), 0);
}

TEST(Importers, ConvTransposeAttributesThatContradictItsWeights) {
  const auto problem = [](const char* name, const std::vector<int64_t>& v) {
    OneNode n(17);
    n.m.input("x", {"1", "2", "8", "8"});
    n.m.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    set_ints(n.m.node("ConvTranspose", {"x", "w"}, {"y"}), name, v);
    n.m.output("y");
    return problem_of(n);
  };
  EXPECT_EQ(problem("strides", {2, 2}), "");
  EXPECT_NE(problem("strides", {2}), "");
  EXPECT_NE(problem("kernel_shape", {2, 2}), "");
  EXPECT_NE(problem("output_padding", {1, 0}), "");
  EXPECT_NE(problem("output_shape", {1, 2, 8, 8}), "");
  EXPECT_NE(problem("pads", {4, 4, 4, 4}), "");
}

TEST(Importers, MelTrianglesAreAsInTheSpecification) {
  OneNode n(17);
  n.m.ints("bands", {8});
  n.m.ints("length", {16});
  n.m.ints("rate", {8192});
  n.m.floats("low", {}, {0});
  n.m.floats("high", {}, {4096});
  n.m.node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, {"y"});
  n.m.output("y");
  EXPECT_EQ(problem_of(n), "");
  const Graph& g = n.imported.graph;
  const Tensor& t = *g.value(g.outputs[0]).constant;
  EXPECT_EQ(t.dims(), (std::vector<int64_t>{9, 8}));
  EXPECT_EQ(std::vector<float>(t.as<float>().begin(), t.as<float>().begin() + 16),
            (std::vector<float>{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace edgeconv
