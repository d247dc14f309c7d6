// --custom-op: refused without it, passed through with it, run by an application that registers the kernel.
#include <cmath>
#include "convert/files/json.h"
#include <sstream>

#include "convert/onnx/reader.h"
#include "rt/blob/header.h"
#include "rt/blob/program.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kOperator = "my.ops::Inverse2";

pb::AttributeProto& attribute(pb::NodeProto& n, const char* name, int type) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(type);
  return *a;
}

// x -> Scramble (all kinds of attributes) -> y; z does not depend on it.
ModelWriter scramble_model() {
  ModelWriter w;
  w.opset("my.ops", 1);
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.output("z", kOnnxFloat, {"batch", 4});
  w.weights("w", {16, 4});
  auto& n = w.node("Scramble", {"x"}, {"s"}, "my.ops");
  attribute(n, "count", 2).set_i(-7);
  attribute(n, "rate", 1).set_f(0.5f);
  attribute(n, "mode", 3).set_s("fast");
  attribute(n, "steps", 7).add_ints(3);
  attribute(n, "weights", 6).add_floats(1.5f);
  w.node("MatMul", {"s", "w"}, {"y"});
  w.node("MatMul", {"x", "w"}, {"z"});
  return w;
}

class CustomOpTest : public CliTest {
 protected:
  void save(const ModelWriter& w) {
    ModelWriter copy = w;
    write_file(in("m.onnx"), copy.bytes());
  }
};

TEST_F(CustomOpTest, TheExampleSaysHowMuchMemoryItLacks) {
  expect_success({CUSTOM_OP_MODEL, "--custom-op", kOperator, "-q", "--dim", "batch=100000", "-o", in("c.ert")});
  const ProgramResult r = run_program(CUSTOM_OP_BINARY, {in("c.ert")});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.err.find("needs"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("--dim NAME=MAX"), std::string::npos) << r.err;
}

TEST_F(CustomOpTest, RefusalNamesTheFlag) {
  expect_refusal({CUSTOM_OP_MODEL, "-o", in("c.ert")}, kUnsupported, {kOperator, std::string("--custom-op ") + kOperator});
}

TEST_F(CustomOpTest, TheFlagNeedsDomainAndName) {
  for (const char* text : {"Inverse2", "::Inverse2", "my.ops::", ""})
    expect_refusal({CUSTOM_OP_MODEL, "--custom-op", text, "-o", in("c.ert")}, kUsage, {"DOMAIN::NAME"});
  expect_refusal({CUSTOM_OP_MODEL, "--custom-op", "my.ops::Other", "-o", in("c.ert")}, kUnsupported, {kOperator});
}

TEST_F(CustomOpTest, AnApplicationRunsIt) {
  const ProgramResult made =
      expect_success({CUSTOM_OP_MODEL, "--custom-op", kOperator, "--precision", "fp32", "-o", in("c.ert")});
  EXPECT_NE(made.err.find("not compared"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("does not declare the shape"), std::string::npos) << made.err;
  expect_success({"verify", in("c.ert")});

  std::string numbers;
  std::vector<float> x(3 * 16);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7 % 13) / 4 - 1.5f;
    numbers += std::to_string(x[i]) + (i % 16 == 15 ? "\n" : " ");
  }
  write_file(in("x.txt"), numbers);
  const ProgramResult r = run_program("/bin/sh", {"-c", std::string(CUSTOM_OP_BINARY) + " " + in("c.ert") + " < " + in("x.txt")});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  std::istringstream out(r.out);
  std::vector<float> got;
  for (float v; out >> v;) got.push_back(v);
  ASSERT_EQ(got.size(), 3u * 8);

  // relu(inverse2(x W)) from the weights in the file.
  pb::ModelProto m;
  ASSERT_TRUE(m.ParseFromString(read_file(CUSTOM_OP_MODEL)));
  ASSERT_EQ(m.graph().node(0).op_type(), "MatMul");
  ASSERT_EQ(m.graph().node(1).op_type(), "Inverse2");
  ASSERT_EQ(m.graph().node(2).op_type(), "Relu");
  std::vector<float> w(16 * 8);
  ASSERT_EQ(m.graph().initializer(0).raw_data().size(), w.size() * sizeof(float));
  std::memcpy(w.data(), m.graph().initializer(0).raw_data().data(), w.size() * sizeof(float));
  for (size_t row = 0; row < 3; ++row)
    for (size_t c = 0; c < 8; ++c) {
      double h = 0;
      for (size_t k = 0; k < 16; ++k) h += double{x[row * 16 + k]} * w[k * 8 + c];
      const double want = std::max(0.0, 1 / (2 * h));
      EXPECT_NEAR(got[row * 8 + c], want, 1e-4 * std::max(1.0, want * want)) << row << "," << c;
    }
}

TEST_F(CustomOpTest, RunRefusesAndNamesTheOperator) {
  expect_success({CUSTOM_OP_MODEL, "--custom-op", kOperator, "-q", "-o", in("c.ert")});
  std::filesystem::create_directory(in("data"));
  write_file(in("data/input_0.pb"), float_tensor_file("x", {1, 16}, std::vector<float>(16, 1.0f)));
  expect_refusal({"run", in("c.ert"), "--data", in("data"), "--out", in("out")}, kUnsupported, {kOperator});
  expect_success({"inspect", in("c.ert")});
  const ProgramResult r = expect_success({"validate", CUSTOM_OP_MODEL, in("c.ert"), "--custom-op", kOperator});
  EXPECT_NE(r.err.find("not compared"), std::string::npos) << r.err;
}

TEST_F(CustomOpTest, AttributesReachTheBlob) {
  save(scramble_model());
  expect_success({in("m.onnx"), "--custom-op", "my.ops::Scramble", "-q", "-o", in("m.ert")});
  const std::string blob = read_file(in("m.ert"));
  const auto* root = flatbuffers::GetRoot<ert::fb::Program>(blob.data() + ert::kMetadataOffset);
  ASSERT_EQ(root->custom_ops()->size(), 1u);
  const auto* op = root->custom_ops()->Get(0);
  EXPECT_EQ(op->name()->str(), "my.ops::Scramble");
  ASSERT_EQ(op->attributes()->size(), 5u);
  const uint32_t kinds[] = {0, 1, 2, 3, 4};
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(op->attributes()->Get(i)->kind(), kinds[i]);
  EXPECT_EQ(op->attributes()->Get(0)->ints()->Get(0), -7);
  EXPECT_EQ(op->attributes()->Get(1)->floats()->Get(0), 0.5f);
  EXPECT_EQ(op->attributes()->Get(2)->text()->str(), "fast");
  EXPECT_EQ(op->attributes()->Get(3)->ints()->Get(0), 3);
  EXPECT_EQ(op->attributes()->Get(4)->floats()->Get(0), 1.5f);
}

TEST_F(CustomOpTest, OtherOutputsAreStillCompared) {
  save(scramble_model());
  const Json j = parse_json(expect_success({in("m.onnx"), "--custom-op", "my.ops::Scramble", "--json", "-o", in("m.ert")}).out);
  ASSERT_EQ(j["outputs"].size(), 1u);
  EXPECT_EQ(j["outputs"][0]["name"], "z");
  EXPECT_GT(j["outputs"][0]["cosine"], 0.999);
  EXPECT_EQ(j["not_compared"], Json::array({"y"}));
  EXPECT_EQ(j["layers"]["w8a16"], 2) << "auto does not take int8 unchecked";
  const Json int8 = parse_json(
      expect_success({in("m.onnx"), "--custom-op", "my.ops::Scramble", "--precision", "int8", "--json", "-o", in("m.ert")}).out);
  EXPECT_EQ(int8["layers"]["int8"], 2);
}

TEST_F(CustomOpTest, DeclaredShapesAreUsed) {
  ModelWriter w;
  w.opset("my.ops", 1);
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 5});
  w.node("Shrink16", {"x"}, {"s"}, "my.ops");
  w.node("Relu", {"s"}, {"y"});
  auto* info = w.proto().mutable_graph()->add_value_info();
  info->set_name("s");
  info->mutable_type()->mutable_tensor_type()->set_elem_type(kOnnxFloat);
  info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("batch");
  info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(5);
  save(w);
  const ProgramResult r = expect_success({in("m.onnx"), "--custom-op", "my.ops::Shrink16", "-o", in("m.ert")});
  EXPECT_EQ(r.err.find("does not declare"), std::string::npos) << r.err;
  const Json j = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out);
  EXPECT_EQ(j["outputs"][0]["shape"], "[batch, 5]");
}

TEST_F(CustomOpTest, WhatAKernelCannotReceiveIsRefused) {
  ModelWriter wide = scramble_model(), tensor = scramble_model();
  attribute(*wide.proto().mutable_graph()->mutable_node(0), "big", 2).set_i(int64_t{1} << 40);
  save(wide);
  expect_refusal({in("m.onnx"), "--custom-op", "my.ops::Scramble"}, kUnsupported, {"big", "32 bits"});
  attribute(*tensor.proto().mutable_graph()->mutable_node(0), "table", 4);
  save(tensor);
  expect_refusal({in("m.onnx"), "--custom-op", "my.ops::Scramble"}, kUnsupported, {"table", "input"});
}

TEST_F(CustomOpTest, InspectTakesTheFlag) {
  const Json refused = parse_json(expect_success({"inspect", CUSTOM_OP_MODEL, "--json"}).out);
  EXPECT_EQ(refused["problems"].size(), 1u);
  const Json j = parse_json(expect_success({"inspect", CUSTOM_OP_MODEL, "--custom-op", kOperator, "--json"}).out);
  EXPECT_TRUE(j["problems"].empty()) << j["problems"];
  EXPECT_TRUE(j["estimate"].is_object()) << j["stopped"];
  expect_refusal({"inspect", CUSTOM_OP_MODEL, "--custom-op", "Inverse2"}, kUsage, {"DOMAIN::NAME"});
}

TEST_F(CustomOpTest, AnUnusedFlagWarns) {
  write_file(in("small.onnx"), small_model());
  EXPECT_NE(expect_success({in("small.onnx"), "--custom-op", "my.ops::None"}).err.find("no such operator"), std::string::npos);
}

}  // namespace

}  // namespace edgeconv::testing
