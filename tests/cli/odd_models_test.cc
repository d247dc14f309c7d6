// Small models of unusual form: without weights, without dynamic sizes, with unnamed dims, constant or repeated outputs, integer
// outputs, weights that are also inputs. Each is converted, verified, run and compared with what it must compute.
#include <cmath>

#include "convert/files/json.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class OddModelTest : public CliTest {
 protected:
  std::string convert(const ModelWriter& w, const std::vector<std::string>& flags = {}) {
    write_file(in("m.onnx"), w.bytes());
    std::vector<std::string> arguments{in("m.onnx"), "-q"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_success(arguments);
    expect_success({"verify", in("m.ert")});
    return in("m.ert");
  }
  // Runs m.ert on one float input "x".
  std::vector<Tensor> run(const std::vector<int64_t>& dims, const std::vector<float>& x) {
    std::filesystem::create_directory(in("data"));
    write_file(in("data/input_0.pb"), float_tensor_file("x", dims, x));
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    std::vector<Tensor> outputs;
    for (int i = 0; std::filesystem::exists(in("out/output_" + std::to_string(i) + ".pb")); ++i)
      outputs.push_back(read_tensor_pb(in("out/output_" + std::to_string(i) + ".pb"), nullptr));
    return outputs;
  }
};

using Floats = std::vector<float>;

TEST_F(OddModelTest, WithoutWeightsAndWithoutDynamicSizes) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {2, 2});
  w.output("y", kOnnxFloat, {2, 2});
  w.node("Relu", {"x"}, {"y"});
  convert(w);
  EXPECT_EQ(run({2, 2}, {-1, 2, -3, 4}).at(0).to_float(), (Floats{0, 2, 0, 4}));
}

// A cell unrolled by steps: its weights were a value for each, and the runtime refused to prove so many sums (LIMIT, exit 5).
TEST_F(OddModelTest, WeightsThatManyLayersShare) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 32});
  w.output("y", kOnnxFloat, {"n", 32});
  w.weights("w", {32, 32});
  for (int i = 0; i < 200; ++i) {
    const std::string h = i ? "h" + std::to_string(i) : "x", next = std::to_string(i + 1);
    w.node("MatMul", {h, "w"}, {"m" + next});
    w.node("Tanh", {"m" + next}, {i < 199 ? "h" + next : "y"});
  }
  for (const char* precision : {"int8", "w8a16", "fp32"}) {
    convert(w, {"--precision", precision, "--allow-accuracy-loss", "--force"});
    const Json blob = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out);
    EXPECT_LT(blob.at("weight_bytes").get<int>(), 5000) << precision;
  }
}

TEST_F(OddModelTest, OutputIsTheInput) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("x", kOnnxFloat, {"n", 2});
  w.output("y", kOnnxFloat, {"n", 2});
  w.node("Neg", {"x"}, {"y"});
  convert(w);
  const auto outputs = run({1, 2}, {3, -4});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].to_float(), (Floats{3, -4}));
  EXPECT_EQ(outputs[1].to_float(), (Floats{-3, 4}));
}

TEST_F(OddModelTest, ConstantOutput) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.weights("c", {3});
  w.output("y", kOnnxFloat, {"n", 2});
  w.output("z", kOnnxFloat, {3});
  w.node("Abs", {"x"}, {"y"});
  w.node("Identity", {"c"}, {"z"});
  convert(w);
  const auto outputs = run({1, 2}, {3, -4});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].elements(), 3);
}

TEST_F(OddModelTest, ShapeAsOutput) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("s", kOnnxInt64, {2});
  w.node("Shape", {"x"}, {"s"});
  convert(w);
  const Tensor s = run({5, 2}, Floats(10)).at(0);
  EXPECT_EQ(s.dtype(), DType::kInt64);
  EXPECT_EQ(s.to_int64(), (std::vector<int64_t>{5, 2}));
}

TEST_F(OddModelTest, IntegerOutput) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("best", kOnnxInt64, {"n", 1});
  auto* axis = w.node("ArgMax", {"x"}, {"best"}).add_attribute();
  axis->set_name("axis");
  axis->set_i(-1);
  axis->set_type(2);
  convert(w);
  EXPECT_EQ(run({2, 4}, {1, 5, 2, 3, 9, 1, 1, 1}).at(0).to_int64(), (std::vector<int64_t>{1, 0}));
}

// Below IR version 4 every weight is declared as an input too.
TEST_F(OddModelTest, WeightsDeclaredAsInputs) {
  ModelWriter w(11);
  w.proto().set_ir_version(3);
  w.input("x", kOnnxFloat, {"n", 3});
  w.input("w", kOnnxFloat, {3, 2});
  w.output("y", kOnnxFloat, {"n", 2});
  w.weights("w", {3, 2});
  w.node("MatMul", {"x", "w"}, {"y"});
  convert(w);
  EXPECT_EQ(run({1, 3}, {0, 0, 0}).at(0).to_float(), (Floats{0, 0}));
}

TEST_F(OddModelTest, UnnamedDimIsCalledByInputAndAxis) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"", 2});
  w.output("y", kOnnxFloat, {"", 2});
  w.node("Relu", {"x"}, {"y"});
  convert(w, {"--dim", "x_0=3"});
  EXPECT_EQ(run({3, 2}, {-1, 1, -1, 1, -1, 1}).at(0).to_float(), (Floats{0, 1, 0, 1, 0, 1}));
}

TEST_F(OddModelTest, ManySmallLimits) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "m", 4});
  w.output("y", kOnnxFloat, {"n", "m", 4});
  w.weights("w", {4, 4});
  w.node("MatMul", {"x", "w"}, {"y"});
  convert(w, {"--dim", "n=1", "--dim", "m=1", "--golden", "3"});
  EXPECT_EQ(run({1, 1, 4}, Floats(4)).at(0).to_float(), Floats(4));
}

// torch.cat([x, torch.zeros(3 - length)]): at the length 3 nothing is padded, and the fill would be an empty tensor.
TEST_F(OddModelTest, RunsAtTheLengthThatItPadsTo) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "length", 2});
  w.output("y", kOnnxFloat, {"n", 3, 2});
  const auto ints = [&](const char* name, const std::vector<int64_t>& values) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(kOnnxInt64);
    t->add_dims(static_cast<int64_t>(values.size()));
    for (int64_t v : values) t->add_int64_data(v);
  };
  const auto axis = [](pb::NodeProto& n, int64_t i) {
    auto* a = n.add_attribute();
    a->set_name("axis");
    a->set_type(2);
    a->set_i(i);
  };
  ints("first", {0});
  ints("second", {1});
  ints("width", {2});
  ints("total", {3});
  w.node("Shape", {"x"}, {"shape"});
  w.node("Gather", {"shape", "first"}, {"rows"});
  w.node("Gather", {"shape", "second"}, {"length"});
  w.node("Sub", {"total", "length"}, {"rest"});
  axis(w.node("Concat", {"rows", "rest", "width"}, {"fill_shape"}), 0);
  w.node("ConstantOfShape", {"fill_shape"}, {"fill"});
  axis(w.node("Concat", {"x", "fill"}, {"y"}), 1);
  convert(w);
  EXPECT_EQ(run({1, 3, 2}, {1, 2, 3, 4, 5, 6}).at(0).to_float(), (Floats{1, 2, 3, 4, 5, 6}));
  std::filesystem::remove_all(in("data"));
  EXPECT_EQ(run({1, 1, 2}, {1, 2}).at(0).to_float(), (Floats{1, 2, 0, 0, 0, 0}));
  expect_refusal({in("m.onnx"), "--dim", "length=4", "-o", in("n.ert")}, 2, {"at most 3"});
}

// States grow 1.6 times with every step. Large states alone must not decide how the weights behind them are rounded.
TEST_F(OddModelTest, TheFirstStepOfAnExplodingRnnIsAsGoodAsTheLast) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"steps", "n", 16});
  w.output("y", kOnnxFloat, {"steps", "n", 8});
  w.weights("w", {1, 64, 16});
  w.weights("r", {1, 64, 64});
  w.weights("w2", {64, 8});
  auto& rnn = w.node("RNN", {"x", "w", "r"}, {"all"});
  auto* hidden = rnn.add_attribute();
  hidden->set_name("hidden_size");
  hidden->set_type(2);
  hidden->set_i(64);
  auto* activations = rnn.add_attribute();
  activations->set_name("activations");
  activations->set_type(8);
  activations->add_strings("Relu");
  auto* axes = w.proto().mutable_graph()->add_initializer();
  axes->set_name("direction");
  axes->set_data_type(kOnnxInt64);
  axes->add_dims(1);
  axes->add_int64_data(1);
  w.node("Squeeze", {"all", "direction"}, {"states"});
  w.node("MatMul", {"states", "w2"}, {"y"});
  Floats x(16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 5) - 2;
  std::vector<Floats> results;
  for (const char* precision : {"fp32", "auto"}) {
    convert(w, {"--dim", "n=2", "--dim", "steps=64", "--precision", precision});
    std::filesystem::remove_all(in("data"));
    results.push_back(run({1, 1, 16}, x).at(0).to_float());
  }
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < results[0].size(); ++i) {
    dot += double{results[0][i]} * results[1][i];
    aa += double{results[0][i]} * results[0][i];
    bb += double{results[1][i]} * results[1][i];
  }
  EXPECT_GT(dot / std::sqrt(aa * bb), 0.99);
}

TEST_F(OddModelTest, ReservedCharactersInNames) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("../../out put:\xc3\xa4", kOnnxFloat, {"n", 2});
  w.node("Relu", {"x"}, {"../../out put:\xc3\xa4"});
  convert(w);
  EXPECT_EQ(run({1, 2}, {-1, 1}).at(0).to_float(), (Floats{0, 1}));
}

}  // namespace

}  // namespace edgeconv::testing
