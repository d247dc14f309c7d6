// Made-up samples on which the fp32 model itself is chaotic, or gives nothing: they tell nothing of quantization, and are said to count nowhere.
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// h = x W, y = h + sin(1e7 g h): g is 1, or the mean of x where that is above zero. The sine is another number whatever happens to h.
std::string chaotic_model(bool everywhere) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 32});
  w.weights("w", {16, 32});
  float_constant(w, "large", {}).add_float_data(1e7f);
  w.node("MatMul", {"x", "w"}, {"h"}).set_name("layer");
  ints_attribute(w.node("ReduceMean", {"x"}, {"mean"}), "axes", {-1});
  w.node("Relu", {"mean"}, {"gate"});
  w.node("Mul", {everywhere ? "large" : "gate", "h"}, {"gated"});
  w.node("Mul", {"gated", "large"}, {"turns"});
  w.node("Sin", {"turns"}, {"sine"});
  w.node("Add", {"h", "sine"}, {"y"});
  return w.bytes();
}

// A picture, a convolution that is quicker in fp32, a layer, and zeros for all that is made up.
std::string silent_picture_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 3, 31, 31});
  w.output("y", kOnnxFloat, {1, 32});
  w.weights("filters", {8, 3, 3, 3});
  w.weights("w", {1800, 32});
  float_constant(w, "far", {}).add_float_data(1e6f);
  ints_attribute(w.node("Conv", {"x", "filters"}, {"map"}), "strides", {2, 2});
  w.node("Relu", {"map"}, {"bright"});
  w.node("Flatten", {"bright"}, {"flat"});
  w.node("MatMul", {"flat", "w"}, {"h"});
  w.node("Sub", {"h", "far"}, {"below"});
  w.node("Relu", {"below"}, {"y"});
  return w.bytes();
}

// A layer whose result hardly adds to a constant: what layers of random weights make of any picture.
std::string still_picture_model(float factor, float offset) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 3, 31, 31});
  w.output("y", kOnnxFloat, {1, 32});
  w.weights("filters", {8, 3, 3, 3});
  w.weights("w", {1800, 32});
  w.weights("constant", {32});
  float_constant(w, "little", {}).add_float_data(factor);
  auto& mask = float_constant(w, "mask", {32});
  for (int i = 0; i < 32; ++i) mask.add_float_data(i == 0 ? offset : 0.0f);
  ints_attribute(w.node("Conv", {"x", "filters"}, {"map"}), "strides", {2, 2});
  w.node("Relu", {"map"}, {"bright"});
  w.node("Flatten", {"bright"}, {"flat"});
  w.node("MatMul", {"flat", "w"}, {"h"});
  w.node("Mul", {"h", "little"}, {"less"});
  w.node("Add", {"less", "constant"}, {"answers"});
  w.node("Add", {"answers", "mask"}, {"y"});
  return w.bytes();
}

// sqrt(-1 - (x W)^2).
std::string no_number_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 32});
  w.weights("w", {16, 32});
  float_constant(w, "below", {}).add_float_data(-1);
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Mul", {"h", "h"}, {"square"});
  w.node("Sub", {"below", "square"}, {"negative"});
  w.node("Sqrt", {"negative"}, {"y"});
  return w.bytes();
}

class ChaoticSamplesTest : public CliTest {
 protected:
  Json convert(bool everywhere, const std::vector<std::string>& options = {}) {
    write_file(in("m.onnx"), chaotic_model(everywhere));
    std::vector<std::string> arguments = {in("m.onnx"), "-o", in("m.ert"), "--force", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return parse_json(expect_success(arguments).out);
  }
  static size_t warnings_with(const Json& report, const std::string& text) {
    size_t n = 0;
    for (const Json& w : report.at("warnings")) n += w.get<std::string>().find(text) != std::string::npos;
    return n;
  }
};

// All layers stayed in fp32, with a cosine of .8 against the fp32 model itself.
TEST_F(ChaoticSamplesTest, AreNoReasonToLiftLayers) {
  const Json report = convert(false);
  EXPECT_EQ(report.at("layers").at("int8"), 1) << report.at("layer_table");
  EXPECT_GT(report.at("outputs").at(0).at("cosine").get<double>(), 0.999);
  EXPECT_EQ(warnings_with(report, "made-up samples do not count"), 1u) << report.at("warnings");
  const Json again = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
  EXPECT_EQ(again.at("certificate").at("state"), "confirmed") << again;
  EXPECT_EQ(again.at("outputs").at(0).at("cosine"), report.at("outputs").at(0).at("cosine"));
}

TEST_F(ChaoticSamplesTest, DoNotCountWithOtherPrecisionsEither) {
  for (const std::string precision : {"fp32", "int8"}) {
    const Json report = convert(false, {"--precision", precision});
    EXPECT_GT(report.at("outputs").at(0).at("cosine").get<double>(), 0.999) << precision;
  }
}

// Nothing can check any precision, and of pictures alone that is so with random weights only: they took twice the time in 16 bits.
TEST_F(ChaoticSamplesTest, RandomWeightsBehindPicturesAreInt8) {
  write_file(in("m.onnx"), still_picture_model(1e-9f, 0));
  const Json report = parse_json(expect_success({in("m.onnx"), "-o", in("m.ert"), "--json"}).out);
  EXPECT_EQ(report.at("layers").at("w8a16"), 0) << report.at("layer_table");
  EXPECT_GE(report.at("layers").at("int8"), 1) << report.at("layer_table");
  EXPECT_EQ(warnings_with(report, "as with random weights"), 1u) << report.at("warnings");
}

// A class that is masked with -1e9 hides how the others move.
TEST_F(ChaoticSamplesTest, MaskedClassesAreNoSignOfRandomWeights) {
  write_file(in("m.onnx"), still_picture_model(1, -1e9f));
  const Json report = parse_json(expect_success({in("m.onnx"), "-o", in("m.ert"), "--json"}).out);
  EXPECT_EQ(report.at("layers").at("int8"), 0) << report.at("layer_table");
  EXPECT_EQ(warnings_with(report, "as with random weights"), 0u) << report.at("warnings");
}

TEST_F(ChaoticSamplesTest, NothingElseIsNoEvidence) {
  const Json report = convert(true);
  const Json& output = report.at("outputs").at(0);
  EXPECT_TRUE(output.at("cosine").is_null());
  EXPECT_EQ(output.at("evidence"), "chaotic");
  EXPECT_EQ(report.at("layers").at("w8a16"), 1) << report.at("layer_table");
  EXPECT_EQ(warnings_with(report, "--calib"), 1u) << report.at("warnings");
  const Json again = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
  EXPECT_EQ(again.at("certificate").at("state"), "confirmed") << again;
}

// It said "cosine 0.000000 with the fp32 model", whose NaN are those of the blob, and that all layers stay in fp32 for it.
TEST_F(ChaoticSamplesTest, NaNEverywhereIsNothingToCompare) {
  write_file(in("m.onnx"), no_number_model());
  expect_refusal({in("m.onnx"), "-o", in("m.ert")}, kAccuracy,
                 {"output 'y' is NaN or infinity everywhere on made-up inputs, in the fp32 model too", "--calib"});
  EXPECT_EQ(edgeconv({in("m.onnx"), "-o", in("m.ert")}).err.find("cosine"), std::string::npos);
  expect_refusal({in("m.onnx"), "-o", in("m.ert"), "--max-slowdown", "1.5"}, kAccuracy, {"output 'y' is NaN or infinity everywhere"});
  const Json report = parse_json(expect_success({in("m.onnx"), "-o", in("m.ert"), "--allow-accuracy-loss", "--json"}).out);
  EXPECT_EQ(report.at("outputs").at(0).at("evidence"), "no number");
  EXPECT_TRUE(report.at("outputs").at(0).at("cosine").is_null());
  EXPECT_EQ(warnings_with(report, "how accurate that is, is not known"), 1u) << report.at("warnings");
  EXPECT_NE(expect_success({"inspect", in("m.ert")}).out.find("y: not known (the reference: no number)"), std::string::npos);
  const Json again = parse_json(edgeconv({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
  EXPECT_EQ(again.at("certificate").at("state"), "confirmed") << again;
}

// A first convolution took 8 of 10 parts of the time of small networks with made-up weights: unchecked it had 16-bit activations, with a range for
// each patch.
TEST_F(ChaoticSamplesTest, LayersThatAreQuickerInFp32AreThatUnchecked) {
  write_file(in("picture.onnx"), silent_picture_model());
  std::vector<std::string> convert = {in("picture.onnx"), "-o", in("m.ert"), "--force", "--json"};
  const Json report = parse_json(expect_success(convert).out);
  EXPECT_EQ(report.at("outputs").at(0).at("evidence"), "zero");
  EXPECT_EQ(report.at("layers").at("fp32"), 1) << report.at("layer_table");
  EXPECT_EQ(report.at("layers").at("w8a16"), 1) << report.at("layer_table");
  convert.insert(convert.end(), {"--precision", "w8a16"});
  EXPECT_EQ(parse_json(expect_success(convert).out).at("layers").at("w8a16"), 2);
}

// What the user gives counts, whatever the model does with it.
TEST_F(ChaoticSamplesTest, RecordedInputsCount) {
  Tensor x(DType::kFloat, {8, 16});
  for (int64_t i = 0; i < x.elements(); ++i) x.mut<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 11) / 8;
  std::filesystem::create_directory(in("data"));
  write_npy(in("data/x.npy"), x);
  const Json report = convert(false, {"--calib", in("data"), "--precision", "int8", "--allow-accuracy-loss"});
  EXPECT_LT(report.at("outputs").at(0).at("cosine").get<double>(), 0.99);
  EXPECT_EQ(warnings_with(report, "do not count"), 0u);
}

}  // namespace

}  // namespace edgeconv::testing
