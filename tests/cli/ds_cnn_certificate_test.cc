// A keyword spotter with a dynamic batch, converted by default and validated.
#include <string>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// Weights that passes put into other layouts stayed in the graph that validate measures on, and counted as parameters: more sets were made up than the
// conversion had, and a fresh blob was "not what its certificate says: layer 'fc': local_sqnr_db 58.64, measured 59.47" (exit 7).
TEST_F(CliTest, TheCertificateOfAKeywordSpotterOfAnyBatchIsConfirmed) {
  constexpr int64_t kChannels = 48, kKeywords = 12;
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 1, 40, 49});
  w.output("y", kOnnxFloat, {"batch", kKeywords});
  std::string x = "x";
  const auto conv = [&](const std::string& name, const std::vector<int64_t>& dims, int64_t stride, int64_t group) {
    w.weights(name + "_w", dims);
    w.weights(name + "_b", {kChannels});
    pb::NodeProto& n = w.node("Conv", {x, name + "_w", name + "_b"}, {name});
    const int64_t pad = dims[2] / 2;
    ints_attribute(n, "pads", {pad, pad, pad, pad});
    ints_attribute(n, "strides", {stride, stride});
    auto* a = n.add_attribute();
    a->set_name("group"), a->set_type(2), a->set_i(group);  // INT
    w.node("Relu", {name}, {name + "_r"});
    x = name + "_r";
  };
  conv("first", {kChannels, 1, 3, 3}, 2, 1);
  for (int block = 0; block < 4; ++block) {
    conv("depthwise" + std::to_string(block), {kChannels, 1, 3, 3}, 1, kChannels);
    conv("pointwise" + std::to_string(block), {kChannels, kChannels, 1, 1}, 1, 1);
  }
  w.weights("fc_w", {kChannels, kKeywords});
  w.node("GlobalAveragePool", {x}, {"pooled"});
  w.node("Flatten", {"pooled"}, {"flat"});
  w.node("MatMul", {"flat", "fc_w"}, {"y"}).set_name("fc");
  write_file(in("m.onnx"), w.bytes());
  expect_success({in("m.onnx"), "-q"});
  EXPECT_NE(expect_success({"validate", in("m.onnx"), in("m.ert")}).out.find("certificate: confirmed"), std::string::npos);
}

}  // namespace

}  // namespace edgeconv::testing
