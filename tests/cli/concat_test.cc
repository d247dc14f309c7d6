// --concat joins outputs at conversion: the joined values are those of the parts, and what cannot be joined is explained.
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// x [batch, 16] -> a [batch, 4], b [batch, 3], n [batch] of int64, c [batch, 16].
std::string model_with_outputs() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("a", kOnnxFloat, {"batch", 4});
  w.output("n", kOnnxInt64, {"batch"});
  w.output("b", kOnnxFloat, {"batch", 3});
  w.output("c", kOnnxFloat, {"batch", 16});
  w.weights("wa", {16, 4});
  w.weights("wb", {16, 3});
  w.node("MatMul", {"x", "wa"}, {"a"});
  w.node("MatMul", {"x", "wb"}, {"b"});
  w.node("Neg", {"x"}, {"c"});
  auto& arg = w.node("ArgMax", {"x"}, {"n"});
  const std::pair<const char*, int> attributes[] = {{"axis", 1}, {"keepdims", 0}};
  for (const auto& [name, value] : attributes) {
    auto* a = arg.add_attribute();
    a->set_name(name);
    a->set_type(2);
    a->set_i(value);
  }
  return w.bytes();
}

class ConcatTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(in("m.onnx"), model_with_outputs());
    std::filesystem::create_directory(in("data"));
    std::vector<float> x(3 * 16);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) - 5.0f;
    write_file(in("data/input_0.pb"), float_tensor_file("x", {3, 16}, x));
  }
  // Output names and tensors of a conversion with these options.
  std::vector<std::pair<std::string, Tensor>> outputs(std::vector<std::string> options) {
    options.insert(options.begin(), {in("m.onnx"), "-q", "--precision", "fp32", "-o", in("m.ert")});
    expect_success(options);
    std::filesystem::remove_all(in("out"));
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    std::vector<std::pair<std::string, Tensor>> all;
    for (int i = 0; std::filesystem::exists(in("out/output_" + std::to_string(i) + ".pb")); ++i) {
      std::string name;
      Tensor t = read_tensor_pb(in("out/output_" + std::to_string(i) + ".pb"), &name);
      all.emplace_back(name, std::move(t));
    }
    return all;
  }
  void expect_usage(const std::string& join, const std::vector<std::string>& words) {
    expect_refusal({in("m.onnx"), "--concat", join, "-o", in("no.ert")}, kUsage, words);
  }
};

TEST_F(ConcatTest, JoinedValuesAreThoseOfTheParts) {
  const auto apart = outputs({});
  ASSERT_EQ(apart.size(), 4u);
  const std::vector<float> a = apart[0].second.to_float(), b = apart[2].second.to_float();
  for (const char* axis : {"1", "-1"}) {
    const auto joined = outputs({"--concat", std::string("ba=b,a:") + axis});
    ASSERT_EQ(joined.size(), 3u);
    EXPECT_EQ(joined[0].first, "ba") << "it stands where the first of its parts stood";
    EXPECT_EQ(joined[1].first, "n");
    EXPECT_EQ(joined[2].first, "c");
    ASSERT_EQ(joined[0].second.dims(), (std::vector<int64_t>{3, 7}));
    const std::vector<float> got = joined[0].second.to_float();
    for (size_t row = 0; row < 3; ++row) {
      EXPECT_TRUE(std::equal(got.begin() + static_cast<int>(row * 7), got.begin() + static_cast<int>(row * 7 + 3),
                             b.begin() + static_cast<int>(row * 3)));
      EXPECT_TRUE(std::equal(got.begin() + static_cast<int>(row * 7 + 3), got.begin() + static_cast<int>(row * 7 + 7),
                             a.begin() + static_cast<int>(row * 4)));
    }
  }
}

// Padding is not skipped there, which nothing said.
TEST_F(ConcatTest, AxesOfDynamicSizeAreWarnedOf) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  for (const char* op : {"Neg", "Relu"}) {
    w.output(op, kOnnxFloat, {"batch", 16});
    w.node(op, {"x"}, {op});
  }
  write_file(in("two.onnx"), w.bytes());
  for (const auto& [axis, warned] : {std::pair("0", true), {"-2", true}, {"1", false}}) {
    const std::string text = expect_success({in("two.onnx"), "--concat", std::string("both=Neg,Relu:") + axis}).err;
    EXPECT_EQ(text.find("rows of padding are computed") != std::string::npos, warned) << text;
  }
}

TEST_F(ConcatTest, JoinsCanBeJoinedAndKeepAName) {
  const auto joined = outputs({"--concat", "a=a,b:1", "--concat", "all=a,c:1"});
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].first, "all");
  EXPECT_EQ(joined[0].second.dims(), (std::vector<int64_t>{3, 23}));
}

TEST_F(ConcatTest, ValidateTakesTheSameOption) {
  outputs({"--concat", "ab=a,b:1"});
  expect_success({"validate", in("m.onnx"), in("m.ert"), "--concat", "ab=a,b:1"});
  const ProgramResult r = edgeconv({"validate", in("m.onnx"), in("m.ert")});
  EXPECT_EQ(r.exit_code, kUsage);
  EXPECT_NE(r.err.find("--concat"), std::string::npos) << r.err;
}

TEST_F(ConcatTest, MistakesAreExplained) {
  expect_usage("y=a,missing:1", {"missing", "a, n, b, c"});
  expect_usage("y=a,n:1", {"element types", "float32", "int64"});
  expect_usage("y=a,b:0", {"axis 1", "'a'", "'b'"});
  expect_usage("y=a,b:2", {"no axis 2"});
  expect_usage("y=a,b:-3", {"no axis -3"});
  expect_usage("y=a,a:1", {"twice"});
  expect_usage("c=a,b:1", {"another output"});
  expect_usage("x=a,b:1", {"an input"});
  for (const char* text : {"a,b:1", "y=a,b", "y=a:1", "y=a,b:one", "=a,b:1", "y=a,,b:1", "y=a,b:1x", "y=a,b:", ""})
    expect_usage(text, {"NAME=OUT1,OUT2"});
}

TEST_F(ConcatTest, RanksMustAgree) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 16});
  w.output("z", kOnnxFloat, {"batch"});
  w.node("Neg", {"x"}, {"y"});
  auto& sum = w.node("ReduceMax", {"x"}, {"z"});
  auto* axes = sum.add_attribute();
  axes->set_name("axes");
  axes->set_type(7);
  axes->add_ints(1);
  auto* keep = sum.add_attribute();
  keep->set_name("keepdims");
  keep->set_type(2);
  keep->set_i(0);
  write_file(in("m.onnx"), w.bytes());
  expect_usage("j=y,z:0", {"ranks", "'y'", "'z'"});
}

}  // namespace

}  // namespace edgeconv::testing
