// --outputs: any values of a model as its outputs, and nothing behind them, in convert, inspect, validate and run.
#include <algorithm>

#include "convert/files/npy.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using Floats = std::vector<float>;

// hidden = Relu(x); half = hidden * w; y = -half
ModelWriter three_steps() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("y", kOnnxFloat, {"n", 2});
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name("w");
  t->set_data_type(kOnnxFloat);
  t->add_float_data(0.5f);
  w.node("Relu", {"x"}, {"hidden"});
  w.node("Mul", {"hidden", "w"}, {"half"});
  w.node("Neg", {"half"}, {"y"});
  return w;
}

// A detector: boxes and scores from x, then what sorts them out, which also reads an input of strings.
ModelWriter detector() {
  ModelWriter w;
  w.input("names", kOnnxString, {3});
  w.input("x", kOnnxFloat, {1, 6, 8});
  w.input("unused", kOnnxFloat, {1, 4});
  w.output("chosen", kOnnxFloat, {1, "found", 4});
  w.output("labels", kOnnxString, {3});
  w.weights("to_boxes", {8, 4});
  w.weights("to_scores", {6, 3, 6});
  w.node("MatMul", {"x", "to_boxes"}, {"boxes"});
  w.node("ReduceMax", {"boxes"}, {"best"});
  w.node("Transpose", {"boxes"}, {"scores"});
  w.node("NonMaxSuppression", {"boxes", "scores"}, {"selected"}).set_name("nms");
  w.node("Gather", {"boxes", "selected"}, {"chosen"});
  w.node("StringNormalizer", {"names"}, {"labels"}).set_name("strings");
  return w;
}

class ChosenOutputsTest : public CliTest {
 protected:
  void write(const ModelWriter& w) { write_file(in("m.onnx"), w.bytes()); }
  ProgramResult convert(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {in("m.onnx"), "-q", "--precision", "fp32"});
    return expect_success(flags);
  }
  ProgramResult run(const std::vector<int64_t>& dims, const Floats& x, const char* file = "input_0.pb") {
    std::filesystem::remove_all(in("data"));
    std::filesystem::remove_all(in("out"));
    std::filesystem::create_directory(in("data"));
    write_file(in(std::string("data/") + file), float_tensor_file("x", dims, x));
    return expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
  }
  Tensor output(int i, std::string* name = nullptr) {
    return read_tensor_pb(in("out/output_" + std::to_string(i) + ".pb"), name);
  }
  void expect_usage(const std::vector<std::string>& flags, const std::vector<std::string>& words) {
    std::vector<std::string> arguments{in("m.onnx"), "-o", in("no.ert")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_refusal(arguments, kUsage, words);
  }
};

// Keras names values by their shapes.
TEST_F(ChosenOutputsTest, ACommaInANameIsWrittenWithABackslash) {
  ModelWriter w = three_steps();
  auto& graph = *w.proto().mutable_graph();
  graph.mutable_node(0)->set_output(0, "hidden[0,1]");
  graph.mutable_node(1)->set_input(0, "hidden[0,1]");
  write(w);
  convert({"--outputs", "half,hidden[0\\,1]"});
  run({1, 2}, {-1, 2});
  std::string name;
  output(1, &name);
  EXPECT_EQ(name, "hidden[0,1]");
  expect_success({"validate", in("m.onnx"), in("m.ert"), "--outputs", "half,hidden[0\\,1]"});
  expect_usage({"--outputs", "hidden[0,1]"}, {"no value of this name"});
  EXPECT_NE(expect_success({"convert", "--help"}).out.find("a comma in a name is written \\,"), std::string::npos);
}

TEST_F(ChosenOutputsTest, AnyValuesInTheOrderGiven) {
  write(three_steps());
  convert({"--outputs", "half,hidden", "--outputs", "x"});
  run({1, 2}, {-1, 2});
  std::string name;
  EXPECT_EQ(output(0, &name).to_float(), (Floats{0, 1}));
  EXPECT_EQ(name, "half");
  EXPECT_EQ(output(1, &name).to_float(), (Floats{0, 2}));
  EXPECT_EQ(name, "hidden");
  EXPECT_EQ(output(2, &name).to_float(), (Floats{-1, 2}));
  EXPECT_EQ(name, "x");
  EXPECT_FALSE(std::filesystem::exists(in("out/output_3.pb")));
}

TEST_F(ChosenOutputsTest, TheyAreWhatConcatJoins) {
  write(three_steps());
  convert({"--outputs", "half,hidden", "--concat", "both=hidden,half:1"});
  run({1, 2}, {-1, 2});
  EXPECT_EQ(output(0).to_float(), (Floats{0, 2, 0, 1}));
  expect_usage({"--outputs", "half,hidden", "--concat", "both=hidden,y:1"}, {"--concat both", "no output 'y'", "half, hidden"});
}

TEST_F(ChosenOutputsTest, ATailThatStaysRefusedIsOfferedToBeCutAndConvertsThen) {
  write(detector());
  expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported,
                 {"NonMaxSuppression", "StringNormalizer", "names", "--outputs boxes,scores"});
  const ProgramResult i = expect_success({"inspect", in("m.onnx")});
  EXPECT_NE(i.out.find("--outputs boxes,scores"), std::string::npos) << i.out;
  const ProgramResult c = convert({"--outputs", "boxes,scores"});
  EXPECT_EQ(c.err.find("names"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("'unused'"), std::string::npos) << c.err;  // that no node reads it is the file's fault, and told as ever
  expect_success({"validate", in("m.onnx"), in("m.ert")});
  const ProgramResult m = expect_success({"inspect", in("m.onnx"), "--outputs", "boxes", "--json"});
  EXPECT_NE(m.out.find("\"chosen_outputs\": [\n    \"boxes\""), std::string::npos) << m.out;
  EXPECT_NE(m.out.find("\"name\": \"names\""), std::string::npos) << m.out;
  EXPECT_EQ(m.out.find("NonMaxSuppression"), std::string::npos) << m.out;
}

// What stands before the problem is hardly any of the model, so leaving it is no advice.
TEST_F(ChosenOutputsTest, AHeadThatIsRefusedIsNotOfferedToBeCut) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 6, 8});
  w.output("y", kOnnxFloat, {1, "found", 4});
  w.weights("w", {8, 4});
  w.node("Relu", {"x"}, {"positive"});
  w.node("NonMaxSuppression", {"positive", "positive"}, {"selected"}).set_name("nms");
  w.node("MatMul", {"selected", "w"}, {"y"});
  write(w);
  const ProgramResult r = edgeconv({in("m.onnx"), "-o", in("no.ert")});
  EXPECT_EQ(r.exit_code, kUnsupported);
  EXPECT_NE(r.err.find("NonMaxSuppression"), std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("--outputs"), std::string::npos) << r.err;
}

TEST_F(ChosenOutputsTest, TreesBehindAnEncoder) {
  ModelWriter w;
  w.opset("ai.onnx.ml", 3);
  w.input("x", kOnnxFloat, {"n", 8});
  w.output("label", kOnnxInt64, {"n"});
  w.output("features", kOnnxFloat, {"n", 4});
  w.weights("w", {8, 4});
  w.node("MatMul", {"x", "w"}, {"product"});
  w.node("Tanh", {"product"}, {"features"});
  w.node("TreeEnsembleClassifier", {"features"}, {"label", "scores"}, "ai.onnx.ml").set_name("trees");
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"TreeEnsembleClassifier", "--outputs features"});
  convert({"--outputs", "features"});
}

// Tensors of the file keep their places, and what was recorded for those that the blob lacks is told of, not taken for others.
TEST_F(ChosenOutputsTest, RecordedInputsOfTheWholeFileFit) {
  ModelWriter w;
  w.input("limit", kOnnxFloat, {1});
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("y", kOnnxFloat, {"n", 2});
  w.node("Relu", {"x"}, {"hidden"});
  w.node("Mul", {"hidden", "limit"}, {"y"});
  write(w);
  convert({"--outputs", "hidden"});
  std::filesystem::create_directory(in("data"));
  write_file(in("data/input_0.pb"), float_tensor_file("", {1}, {7}));
  write_file(in("data/input_1.pb"), float_tensor_file("", {1, 2}, {-1, 2}));
  const ProgramResult r = expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
  EXPECT_NE(r.err.find("input 'limit' is not used"), std::string::npos) << r.err;
  EXPECT_EQ(output(0).to_float(), (Floats{0, 2}));
  expect_usage({"--outputs", "hidden", "--const", "limit=1"}, {"--const limit", "--outputs", "do not need"});
}

TEST_F(ChosenOutputsTest, ValidateAndInspectGoByTheBlob) {
  write(three_steps());
  convert({"--outputs", "half,hidden"});
  const ProgramResult v = expect_success({"validate", in("m.onnx"), in("m.ert")});
  EXPECT_NE(v.out.find("certificate: confirmed"), std::string::npos) << v.out;
  expect_success({"validate", in("m.onnx"), in("m.ert"), "--outputs", "half,hidden"});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--outputs", "hidden,half"}, kUsage, {"made with half,hidden"});
  const ProgramResult i = expect_success({"inspect", in("m.ert")});
  EXPECT_NE(i.out.find("cut       to half, hidden\n"), std::string::npos) << i.out;
  expect_refusal({"inspect", in("m.ert"), "--outputs", "half"}, kUsage, {"for models"});
  convert({});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--outputs", "half"}, kUsage, {"made without it"});
  const ProgramResult whole = expect_success({"inspect", in("m.ert"), "--json"});
  EXPECT_EQ(whole.out.find("chosen_outputs"), std::string::npos) << whole.out;
  EXPECT_EQ(whole.out.find("cut_inputs"), std::string::npos) << whole.out;
}

TEST_F(ChosenOutputsTest, WrongNamesAreUsageErrorsThatNameRightOnes) {
  write(three_steps());
  expect_usage({"--outputs", "hiden"}, {"--outputs hiden", "near it are hidden", "its outputs are y"});
  expect_usage({"--outputs", "idd"}, {"near it are hidden"});
  expect_usage({"--outputs", "zzzzzzzz"}, {"--outputs zzzzzzzz", "no value of this name", "its outputs are y"});
  expect_usage({"--outputs", "half,hidden,half"}, {"'half' is named twice"});
  expect_usage({"--outputs", "half", "--outputs", "half"}, {"'half' is named twice"});
  expect_usage({"--outputs", "half,"}, {"--outputs half,", "NAME,NAME"});
  expect_usage({"--outputs", ""}, {"--outputs", "NAME,NAME"});
}

// Rows of tokens without padding were taken for a map of images, whose rows may run in bands: an internal error.
TEST_F(ChosenOutputsTest, PartsOfHeadsOfPackedTokens) {
  const std::string model = EDGECONV_FIXTURES "/nomic_part_dy20/model.onnx";
  for (const char* values : {"y,v49", "y,v52", "y,v69"}) {
    expect_success({model, "--outputs", values, "-q", "-o", in("m.ert"), "--force"});
    expect_success({"validate", model, in("m.ert"), "--outputs", values});
  }
}

// The line that is offered makes the same blob, but for the inputs.
TEST_F(ChosenOutputsTest, AdviceToCalibrateRepeatsWhatThePinningWas) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.input("gain", kOnnxFloat, {1});
  w.output("y", kOnnxFloat, {"n", 4});
  w.weights("w", {4, 4});
  w.node("MatMul", {"x", "w"}, {"product"});
  w.node("Mul", {"product", "gain"}, {"scaled"});
  w.node("Neg", {"scaled"}, {"y"});
  write(w);
  // A gain of zero: the output never moves, which asks for recorded inputs.
  const ProgramResult r = expect_success({in("m.onnx"), "--fix", "n=2", "--const", "gain=0", "--outputs", "scaled"});
  EXPECT_NE(r.err.find("--fix n=2 --const gain=0 --outputs scaled --calib FILE.npz"), std::string::npos) << r.err;
}

}  // namespace

}  // namespace edgeconv::testing
