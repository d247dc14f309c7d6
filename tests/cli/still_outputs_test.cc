// Outputs that no input moves: that a blob gives the same is no evidence, whatever stands in them.
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class StillOutputsTest : public CliTest {
 protected:
  Json convert(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {in("m.onnx"), "-o", in("m.ert"), "--force", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return parse_json(expect_success(arguments).out);
  }
};

// y = Relu(-|x W|) + P, which is P: its rows differ, and it was certified with cosine 1 in int8.
TEST_F(StillOutputsTest, AnOutputOfRowsThatDifferButDoNotMoveIsNoEvidence) {
  for (const bool batched : {false, true}) {
    ModelWriter w;
    std::vector<OnnxDim> dims = {3, 8};
    if (batched) dims.insert(dims.begin(), "batch");
    w.input("x", kOnnxFloat, dims);
    w.output("y", kOnnxFloat, dims);
    w.weights("w", {8, 8});
    w.weights("p", {3, 8});
    w.node("MatMul", {"x", "w"}, {"h"});
    w.node("Abs", {"h"}, {"size"});
    w.node("Neg", {"size"}, {"below"});
    w.node("Relu", {"below"}, {"nothing"});
    w.node("Add", {"nothing", "p"}, {"y"});
    write_file(in("m.onnx"), w.bytes());
    const auto is_told = [&](const Json& report) {
      const Json& y = report.at("outputs").at(0);
      EXPECT_TRUE(y.at("cosine").is_null()) << y;
      EXPECT_EQ(y.at("evidence"), "still");
      EXPECT_NE(report.at("warnings").dump().find("output 'y' does not move"), std::string::npos) << report.at("warnings");
      EXPECT_EQ(report.at("layers").at("int8"), 0) << "int8 could not be checked";
    };
    is_told(convert({}));
    const Json validated = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
    EXPECT_TRUE(validated.at("outputs").at(0).at("cosine").is_null());
    std::vector<int64_t> recorded = {8, 3, 8};
    if (batched) recorded.insert(recorded.begin() + 1, 1);
    Tensor x(DType::kFloat, recorded);
    for (size_t i = 0; i < 192; ++i) x.mut<float>()[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 50;
    std::filesystem::create_directory(in("real"));
    write_npy(in("real/x.npy"), x);
    is_told(convert({"--calib", in("real")}));
  }
}

// Anchors of a detector: no recorded input moves what no input reaches.
TEST_F(StillOutputsTest, AConstantOfTheGraphAsksForNoInputs) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 8});
  w.output("y", kOnnxFloat, {"batch", 8});
  w.output("anchors", kOnnxFloat, {4, 2});
  w.weights("w", {8, 8});
  w.weights("a", {4, 2});
  w.node("MatMul", {"x", "w"}, {"y"});
  w.node("Identity", {"a"}, {"anchors"});
  write_file(in("m.onnx"), w.bytes());
  const Json report = convert({});
  EXPECT_EQ(report.at("outputs").at(1).at("evidence"), "still") << report.at("outputs");
  EXPECT_EQ(report.at("warnings").dump().find("anchors"), std::string::npos) << report.at("warnings");
}

// y = Relu(-|x W|) + P[:time]: whatever is said about x, row t is that of P.
TEST_F(StillOutputsTest, AnOutputWhoseFirstAxisIsTheSequenceIsNoEvidenceWhereItIsStill) {
  for (const bool batched : {false, true}) {
    ModelWriter w;
    std::vector<OnnxDim> dims = {"time", 8};
    if (batched) dims.insert(dims.begin() + 1, "batch");
    w.input("x", kOnnxFloat, dims);
    w.output("y", kOnnxFloat, dims);
    w.weights("w", {8, 8});
    w.weights("p", batched ? std::vector<int64_t>{64, 1, 8} : std::vector<int64_t>{64, 8});
    for (const auto& [name, value] : std::vector<std::pair<std::string, int64_t>>{{"zero", 0}, {"one", 1}}) {
      auto& t = *w.proto().mutable_graph()->add_initializer();
      t.set_name(name), t.set_data_type(kOnnxInt64), t.add_dims(1), t.add_int64_data(value);
    }
    w.node("MatMul", {"x", "w"}, {"h"});
    w.node("Abs", {"h"}, {"size"});
    w.node("Neg", {"size"}, {"below"});
    w.node("Relu", {"below"}, {"nothing"});
    w.node("Shape", {"x"}, {"shape"});
    w.node("Slice", {"shape", "zero", "one"}, {"time"});
    w.node("Slice", {"p", "zero", "time", "zero"}, {"places"});
    w.node("Add", {"nothing", "places"}, {"y"});
    write_file(in("m.onnx"), w.bytes());
    const Json report = convert({"--dim", "time=64"});
    EXPECT_EQ(report.at("outputs").at(0).at("evidence"), "still") << report.at("outputs");
    EXPECT_NE(report.at("warnings").dump().find("output 'y' does not move"), std::string::npos) << report.at("warnings");
  }
}

}  // namespace

}  // namespace edgeconv::testing
