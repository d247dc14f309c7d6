// Operators and attributes that the file's operator set does not have: ONNX's checker and ONNX Runtime refuse them.
#include <string>
#include <vector>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class SchemaTest : public CliTest {
 protected:
  // y = op(x [2, 8], more..), with an attribute that is an integer.
  void write_model(int64_t opset, const std::string& op, const std::vector<std::string>& more = {}, const std::string& attribute = "") {
    ModelWriter w(opset);
    w.input("x", kOnnxFloat, {2, 8});
    w.output("y", kOnnxFloat, {2, 8});
    w.weights("scale", {8});
    std::vector<std::string> inputs = {"x"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    auto& n = w.node(op, inputs, {"y"});
    n.set_name("the_node");
    if (!attribute.empty()) int_attribute(n, attribute, 1);
    write_file(in("m.onnx"), w.bytes());
  }
  void expect_malformed(const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.push_back("the_node");
    expect_refusal({in("m.onnx"), "-q"}, kMalformed, all);
  }
  void expect_taken() { expect_success({in("m.onnx"), "-q", "--force"}); }
};

TEST_F(SchemaTest, AnOperatorNewerThanTheOperatorSetIsMalformed) {
  write_model(17, "Gelu");
  expect_malformed({"ai.onnx has the operator Gelu from opset 20 on, the file imports opset 17"});
  write_model(20, "Gelu");
  expect_taken();
  write_model(13, "Upsample", {"scale"});
  expect_malformed({"Upsample up to opset 9"});
  // ONNX Runtime had it before ONNX did.
  write_model(11, "LayerNormalization", {"scale"});
  expect_taken();
}

TEST_F(SchemaTest, AnAttributeThatTheOperatorSetDoesNotHaveIsMalformed) {
  write_model(17, "Relu", {}, "slope");
  expect_malformed({"the operator Relu has no attribute 'slope'"});
  write_model(17, "Relu", {}, "__internal");
  expect_taken();
  write_model(17, "Softmax", {}, "axis");
  expect_taken();
  write_model(13, "Reshape", {"shape"}, "allowzero");
  expect_malformed({"the operator Reshape has its attribute 'allowzero' from opset 14 on, the file imports opset 13"});
  write_model(17, "Dropout", {}, "ratio");
  expect_malformed({"'ratio' up to opset 11"});
  write_model(30, "Relu", {}, "of_the_future");  // newer than what is known
  expect_taken();
}

}  // namespace

}  // namespace edgeconv::testing
