// inspect: what it says about a model agrees with the blob that a conversion then makes, and with the reasons of a refusal.
#include <cmath>
#include <map>
#include <string>

#include "convert/files/json.h"

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class InspectTest : public CliTest {
 protected:
  Json inspect(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "inspect");
    arguments.push_back("--json");
    return parse_json(expect_success(arguments).out);
  }
  // The estimate of a model against its blob: RAM and MACs exactly, with the golden vector that both have, flash but for the
  // certificate.
  void expect_good_estimate(const std::string& model, const std::string& blob) {
    const Json before = inspect({model}), after = inspect({blob});
    ASSERT_TRUE(before.at("estimate").is_object()) << before.at("stopped");
    EXPECT_EQ(before.at("estimate").at("memory"), after.at("memory"));
    EXPECT_EQ(before.at("source_sha256"), after.at("source_sha256"));
    EXPECT_EQ(before.at("dim_ranges").size(), after.at("dims").size());
    const size_t estimate = before.at("estimate").at("flash_bytes"), bytes = after.at("bytes");
    const size_t extras = after.at("certificate").dump().size() + after.at("producer").get<std::string>().size() + 256;
    EXPECT_LE(estimate, bytes);
    EXPECT_GE(estimate + extras, bytes);
    using Counts = std::map<std::string, int>;
    Counts ops = before.at("fused").at("ops").get<Counts>();
    ops.merge(before.at("generic").at("ops").get<Counts>());
    EXPECT_EQ(ops, after.at("operators").get<Counts>());
  }
};

TEST_F(InspectTest, EstimatesWhatAConversionGives) {
  write_file(in("small.onnx"), small_model());
  expect_success({in("small.onnx"), "-q", "--precision", "int8"});
  expect_good_estimate(in("small.onnx"), in("small.ert"));
  const Json j = inspect({in("small.onnx")});
  EXPECT_EQ(j.at("parameter_bytes"), 4 * (16 * 24 + 24 + 24 * 4));
  EXPECT_EQ(j.at("parameter_types").at("float32"), 16 * 24 + 24 + 24 * 4);
  EXPECT_EQ(j.at("fused").at("ops").at("Linear"), 2);
  EXPECT_EQ(j.at("fused").at("nodes").at("MatMul"), 2);
  EXPECT_EQ(j.at("dim_ranges").at(0).at("max"), 64);
}

// Before opset 13 a Softmax over several axes is written with four nodes: it is still one operator of the file.
TEST_F(InspectTest, CountsAnOperatorThatBecomesSeveralNodesOnce) {
  ModelWriter w(11);
  w.input("x", kOnnxFloat, {"batch", 4, 8});
  w.output("y", kOnnxFloat, {"batch", 4, 8});
  w.node("Softmax", {"x"}, {"y"});
  write_file(in("old.onnx"), w.bytes());
  const Json j = inspect({in("old.onnx")});
  EXPECT_EQ(j.at("generic").at("nodes"), Json({{"Softmax", 1}}));
  EXPECT_TRUE(j.at("folded").at("nodes").empty()) << j.at("folded");
}

TEST_F(InspectTest, EstimatesTheShippedModel) {
  expect_success({EDGECONV_LANGID_MODEL, "-q", "--precision", "int8", "-o", in("langid.ert")});
  expect_good_estimate(EDGECONV_LANGID_MODEL, in("langid.ert"));
}

// What padding costs is part of the estimate: packed rows, their ops and the mask are those of the blob.
TEST_F(InspectTest, EstimatesSkippedPadding) {
  const std::string model = EDGECONV_FIXTURES "/bert_base_ts14/model.onnx";
  expect_success({model, "-q", "--precision", "int8", "--allow-accuracy-loss", "-o", in("bert.ert")});
  expect_good_estimate(model, in("bert.ert"));
  const Json before = inspect({model}).at("estimate"), after = inspect({in("bert.ert")});
  EXPECT_EQ(before.at("padding"), "zero");
  EXPECT_EQ(before.at("padding"), after.at("padding"));
  EXPECT_EQ(before.at("mask"), after.at("mask"));
  const std::string said = "padding   skipped by '" + after.at("mask").get<std::string>() + "'";
  for (const std::string& file : {model, in("bert.ert")})
    EXPECT_NE(expect_success({"inspect", file}).out.find(said), std::string::npos) << file;
}

// A conversion stores a shared weight once; so does the estimate.
TEST_F(InspectTest, SharedWeightsCountOnce) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 256});
  w.output("y", kOnnxFloat, {"batch", 256});
  w.weights("w", {256, 256});
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Tanh", {"h"}, {"t"});
  w.node("MatMul", {"t", "w"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_success({in("m.onnx"), "-q", "--precision", "int8", "--allow-accuracy-loss"});
  expect_good_estimate(in("m.onnx"), in("m.ert"));
  EXPECT_LT(inspect({in("m.onnx")}).at("estimate").at("flash_bytes"), 2 * 256 * 256);
}

TEST_F(InspectTest, DimsOfAModelAreMaxima) {
  write_file(in("small.onnx"), small_model());
  const Json j = inspect({in("small.onnx"), "--dim", "batch=5"});
  EXPECT_EQ(j.at("dim_ranges").at(0).at("max"), 5);
  EXPECT_EQ(j.at("estimate").at("memory").back().at("dims").at("batch"), 5);
  expect_refusal({"inspect", in("small.onnx"), "--dim", "rows=5"}, kUsage, {"rows", "batch"});
  expect_refusal({"inspect", in("small.onnx"), "--dim", "batch=x"}, kUsage, {"--dim"});
}

TEST_F(InspectTest, DimsOfABlobAreValues) {
  const std::string blob = small_blob();
  const Json j = inspect({blob, "--dim", "batch=3"});
  ASSERT_EQ(j.at("memory").size(), 1u);
  EXPECT_EQ(j.at("memory").at(0).at("dims").at("batch"), 3);
  EXPECT_EQ(j.at("memory").at(0).at("macs"), 3 * (16 * 24 + 24 * 4));
  EXPECT_EQ(j.at("operators").at("Linear"), 2);
  EXPECT_EQ(j.at("certificate").at("outputs").at(0).at("name"), "y");
  expect_refusal({"inspect", blob, "--dim", "batch=9"}, kUsage, {"1 to 8"});
  expect_refusal({"inspect", blob, "--dim", "rows=1"}, kUsage, {"rows", "batch"});
}

TEST_F(InspectTest, RefusedModelsSayWhyAndEstimateNothing) {
  write_file(in("two.onnx"), model_with_two_problems());
  const Json j = inspect({in("two.onnx")});
  EXPECT_TRUE(j.at("estimate").is_null());
  EXPECT_GE(j.at("problems").size(), 2u);
  const std::string text = expect_success({"inspect", in("two.onnx")}).out;
  EXPECT_NE(text.find("refused"), std::string::npos);
  EXPECT_NE(text.find("NonZero"), std::string::npos);
}

TEST_F(InspectTest, CustomOperatorsAreRefusedWithAdvice) {
  const std::string text = expect_success({"inspect", EDGECONV_FIXTURES "/custom_op_no_body/model.onnx"}).out;
  for (const char* word : {"refused", "my.ops::Inverse2", "--custom-op my.ops::Inverse2"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

// A size without a default stops the plan, not the inspection.
TEST_F(InspectTest, MissingDimIsNamed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {4, "samples"});
  w.output("y", kOnnxFloat, {4, "samples"});
  w.node("Tanh", {"x"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  const Json j = inspect({in("m.onnx")});
  EXPECT_NE(j.at("stopped").get<std::string>().find("--dim samples=MAX"), std::string::npos) << j.at("stopped");
  EXPECT_TRUE(inspect({in("m.onnx"), "--dim", "samples=100"}).at("estimate").is_object());
}

// The command offered is run as it stands, and its blob offers the next.
TEST_F(InspectTest, OffersTheNextCommand) {
  write_file(in("a model.onnx"), small_model());
  const ProgramOptions here = {folder_.path(), {}, -1, 0};
  std::string said = edgeconv({"inspect", "a model.onnx", "--dim", "batch=3"}, here).out;
  const std::string offer = "next      edgeconv 'a model.onnx' --dim batch=3 -o 'a model.ert'\n";
  ASSERT_NE(said.find(offer), std::string::npos) << said;
  const std::string command = std::string(EDGECONV_BINARY) + offer.substr(18);
  EXPECT_EQ(run_program("sh", {"-c", command}, here).exit_code, 0) << command;
  said = expect_success({"inspect", in("a model.ert")}).out;
  EXPECT_NE(said.find("next      edgeconv run '"), std::string::npos) << said;
  EXPECT_NE(said.find("--format c -o 'a model.c'"), std::string::npos) << said;
  const size_t run = said.find("next      edgeconv run ") + 18;
  const std::string typed = std::string(EDGECONV_BINARY) + said.substr(run, said.find(';', run) - run);
  EXPECT_NE(typed.find(" --input x=1,2,3"), std::string::npos) << typed;
  EXPECT_EQ(run_program("sh", {"-c", typed}, here).exit_code, 0) << typed;
  write_file(in("bad.onnx"), model_with_two_problems());
  EXPECT_EQ(expect_success({"inspect", in("bad.onnx")}).out.find("next "), std::string::npos);
}

TEST_F(InspectTest, BrokenWeightsAreSeen) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 16});
  w.weights("w", {16, 16});
  w.proto().mutable_graph()->mutable_initializer(0)->set_float_data(5, std::nanf(""));
  w.node("MatMul", {"x", "w"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({"inspect", in("m.onnx")}, kMalformed, {"NaN", "w"});
}

}  // namespace

}  // namespace edgeconv::testing
