// --fix and --const: dims of one size and inputs that are constants, in convert, inspect, validate and run. More than 300 lines, because
// all cases use the same few models.
#include <fmt/format.h>

#include "convert/files/npy.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/calib_fixture.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using Floats = std::vector<float>;

void scalar_int64(pb::GraphProto& g, const std::string& name, int64_t v) {
  auto* t = g.add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxInt64);
  t->add_int64_data(v);
}

void graph_attribute(pb::NodeProto& n, const std::string& name, const pb::GraphProto& body) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(5);
  *a->mutable_g() = body;
}

pb::GraphProto body(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  pb::GraphProto g;
  g.set_name(op);
  auto* n = g.add_node();
  n->set_op_type(op);
  n->set_name("body_" + op);
  for (const std::string& i : inputs) n->add_input(i);
  n->add_output(output);
  g.add_output()->set_name(output);
  return g;
}

// y = sr == 16000 ? -x : NonZero(x), whose size depends on data; as speech models choose by their sample rate. sr is the first input.
ModelWriter by_sample_rate() {
  ModelWriter w;
  w.input("sr", kOnnxInt64, {});
  w.proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();  // a rank of 0 is one
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  scalar_int64(*w.proto().mutable_graph(), "rate", 16000);
  w.node("Equal", {"sr", "rate"}, {"is_16k"});
  auto& n = w.node("If", {"is_16k"}, {"y"});
  n.set_name("choice");
  graph_attribute(n, "then_branch", body("Neg", {"x"}, "a"));
  graph_attribute(n, "else_branch", body("NonZero", {"x"}, "b"));
  return w;
}

// y = x * gain + offset
ModelWriter with_settings(int32_t gain_type = kOnnxFloat, const std::vector<OnnxDim>& gain_dims = {4}) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.input("gain", gain_type, gain_dims);
  w.output("y", kOnnxFloat, {"n", 4});
  auto* to = w.node("Cast", {"gain"}, {"g"}).add_attribute();
  to->set_name("to");
  to->set_type(2);
  to->set_i(kOnnxFloat);
  w.node("Mul", {"x", "g"}, {"y"});
  return w;
}

std::string int64_tensor_file(const std::string& name, int64_t v) {
  pb::TensorProto t;
  t.set_name(name);
  t.set_data_type(kOnnxInt64);
  t.add_int64_data(v);
  return t.SerializeAsString();
}

class PinningTest : public CliTest {
 protected:
  void write(const ModelWriter& w) { write_file(in("m.onnx"), w.bytes()); }
  ProgramResult convert(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {in("m.onnx"), "-q", "--precision", "fp32"});
    return expect_success(flags);
  }
  Floats run_on(const std::vector<int64_t>& dims, const Floats& x) {
    std::filesystem::remove_all(in("data"));
    std::filesystem::create_directory(in("data"));
    write_file(in("data/input_0.pb"), float_tensor_file("x", dims, x));
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    return read_tensor_pb(in("out/output_0.pb"), nullptr).to_float();
  }
  void expect_usage(const std::vector<std::string>& flags, const std::vector<std::string>& words) {
    std::vector<std::string> arguments{in("m.onnx"), "-o", in("no.ert")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_refusal(arguments, kUsage, words);
  }
};

TEST_F(PinningTest, TheUntakenBranchIsDroppedBeforeProblemsAreListed) {
  write(by_sample_rate());
  convert({"--const", "sr=16000"});
  EXPECT_EQ(run_on({1, 4}, {1, -2, 3, -4}), (Floats{-1, 2, -3, 4}));
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--const", "sr=8000"}, kUnsupported, {"NonZero", "body_NonZero"});
}

TEST_F(PinningTest, RefusalsOfferPinningWithTheVeryValues) {
  write(by_sample_rate());
  expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"NonZero", "--const sr=16000"});
}

// Each branch fits another length: [n, 4] -> [n] needs one column.
TEST_F(PinningTest, RefusalsOfferTheSizeThatDecides) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "length"});
  w.output("y", kOnnxFloat, {"n"});
  scalar_int64(*w.proto().mutable_graph(), "two", 2);
  scalar_int64(*w.proto().mutable_graph(), "one", 1);
  auto& shape = w.node("Shape", {"x"}, {"shape"});
  w.node("Gather", {"shape", "one"}, {"length"});
  w.node("Div", {"length", "two"}, {"half"});
  w.node("Equal", {"half", "two"}, {"decides"});
  auto& n = w.node("If", {"decides"}, {"y"});
  graph_attribute(n, "then_branch", body("Neg", {"x"}, "a"));
  graph_attribute(n, "else_branch", body("ReduceSum", {"x"}, "b"));
  (void)shape;
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "length=64"}, kUnsupported, {"--fix length=4"});
  convert({"--fix", "length=4"});
  EXPECT_EQ(run_on({1, 4}, {1, 2, 3, 4}), (Floats{-1, -2, -3, -4}));
}

// Where a slice begins is computed from a size in a way that is not followed: no data decides, but the size.
TEST_F(PinningTest, RefusalsOfferTheSizesThatContentsAreComputedFrom) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "length"});
  w.output("y", kOnnxFloat, {"n", "rest"});
  const auto ints = [&](const std::string& name, int64_t v) {
    scalar_int64(*w.proto().mutable_graph(), name, v);
    w.proto().mutable_graph()->mutable_initializer(w.proto().graph().initializer_size() - 1)->add_dims(1);
  };
  ints("one", 1);
  ints("three", 3);
  ints("all", 100);
  w.node("Shape", {"x"}, {"shape"});
  w.node("Gather", {"shape", "one"}, {"length"});
  w.node("Equal", {"length", "three"}, {"is_three"});
  auto* to = w.node("Cast", {"is_three"}, {"first"}).add_attribute();
  to->set_name("to");
  to->set_type(2);
  to->set_i(kOnnxInt64);
  w.node("Slice", {"x", "first", "all", "one"}, {"y"});
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "length=64"}, kUnsupported, {"Slice", "pin what it depends on: --fix length=N\n"});
  convert({"--fix", "length=3"});
  EXPECT_EQ(run_on({1, 3}, {1, 2, 3}), (Floats{2, 3}));
}

// y = x doubled `rounds` times: refused by the lowering, where all shapes are known.
TEST_F(PinningTest, RefusalsOfferTheTripCountOfALoop) {
  ModelWriter w;
  w.input("rounds", kOnnxInt64, {1});
  w.input("x", kOnnxFloat, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  auto& n = w.node("Loop", {"rounds", "", "x"}, {"y"});
  pb::GraphProto g;
  for (const char* name : {"i", "again", "v"}) g.add_input()->set_name(name);
  const std::vector<std::vector<std::string>> nodes = {{"Identity", "again", "", "next"}, {"Add", "v", "v", "twice"}};
  for (const auto& parts : nodes) {
    auto* inner = g.add_node();
    inner->set_op_type(parts[0]);
    inner->add_input(parts[1]);
    if (!parts[2].empty()) inner->add_input(parts[2]);
    inner->add_output(parts[3]);
    g.add_output()->set_name(parts[3]);
  }
  graph_attribute(n, "body", g);
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"Loop", "--const rounds=VALUE"});
  const ProgramResult i = expect_success({"inspect", in("m.onnx")});
  EXPECT_NE(i.out.find("--const rounds=VALUE"), std::string::npos) << i.out;
  convert({"--const", "rounds=3"});
  EXPECT_EQ(run_on({1, 4}, {1, 2, 3, 4}), (Floats{8, 16, 24, 32}));
}

// An LSTM-like contradiction: at these sizes one branch fails in every runtime, so the other one is meant.
TEST_F(PinningTest, ABranchThatCannotRunIsNotTaken) {
  ModelWriter w;
  w.input("sr", kOnnxInt64, {});
  w.proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();  // a rank of 0 is one
  w.input("x", kOnnxFloat, {2, 4});
  w.output("y", kOnnxFloat, {2, 4});
  w.weights("wide", {5, 4});
  scalar_int64(*w.proto().mutable_graph(), "rate", 16000);
  w.node("Equal", {"sr", "rate"}, {"is_16k"});
  auto& n = w.node("If", {"is_16k"}, {"y"});
  n.set_name("choice");
  graph_attribute(n, "then_branch", body("Neg", {"x"}, "a"));
  graph_attribute(n, "else_branch", body("MatMul", {"x", "wide"}, "b"));
  write(w);
  const ProgramResult r = convert({});
  EXPECT_NE(r.err.find("its else branch cannot run at these sizes"), std::string::npos) << r.err;
}

TEST_F(PinningTest, RecordedContentsOfPinnedInputsAreIgnoredWithOneLine) {
  write(by_sample_rate());
  convert({"--const", "sr=16000"});
  std::filesystem::create_directory(in("data"));
  for (const bool named : {true, false}) {
    // Without names a tensor is that of the K-th input of the file, not of the blob.
    write_file(in("data/input_0.pb"), int64_tensor_file(named ? "sr" : "", 8000));
    write_file(in("data/input_1.pb"), float_tensor_file(named ? "x" : "", {1, 4}, {1, 2, 3, 4}));
    const ProgramResult r = expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    EXPECT_NE(r.err.find("input 'sr' is not used"), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 2) << "one, and what was written: " << r.err;
    EXPECT_EQ(read_tensor_pb(in("out/output_0.pb"), nullptr).to_float(), (Floats{-1, -2, -3, -4}));
    const ProgramResult v = expect_success({"validate", in("m.onnx"), in("m.ert"), "--data", in("data")});
    EXPECT_NE(v.err.find("input 'sr' is not used"), std::string::npos) << v.err;
  }
  // An archive says the same.
  write_file(in("data.npz"), archive({{"sr.npy", npy(Tensor::scalar(int64_t{8000}))},
                                      {"x.npy", npy(Tensor::of<float>(DType::kFloat, {1, 4}, {1, 2, 3, 4}))}}, false));
  const ProgramResult z = expect_success({"run", in("m.ert"), "--data", in("data.npz"), "--out", in("out")});
  EXPECT_NE(z.err.find("data.npz: what is recorded for input 'sr' is not used"), std::string::npos) << z.err;
  EXPECT_EQ(std::count(z.err.begin(), z.err.end(), '\n'), 2) << "one, and what was written: " << z.err;
  const ProgramResult c = convert({"--const", "sr=16000", "--calib", in("data")});
  EXPECT_NE(c.err.find("input 'sr' is not used"), std::string::npos) << c.err;
  write_npy(in("sr.npy"), Tensor::scalar(int64_t{8000}));
  write_npy(in("x.npy"), Tensor::of<float>(DType::kFloat, {1, 4}, {1, 2, 3, 4}));
  std::filesystem::remove_all(in("out"));
  expect_refusal({"run", in("m.ert"), "--input", "x=" + in("x.npy"), "--input", "sr=" + in("sr.npy"), "--out", in("out")}, kUsage,
                 {"pinned to 16000", "--const"});
}

TEST_F(PinningTest, ValidateAndInspectGoByTheBlob) {
  write(by_sample_rate());
  convert({"--const", "sr=16000", "--fix", "n=3"});
  const ProgramResult v = expect_success({"validate", in("m.onnx"), in("m.ert")});
  EXPECT_NE(v.out.find("certificate: confirmed"), std::string::npos) << v.out;
  expect_success({"validate", in("m.onnx"), in("m.ert"), "--const", "sr=16000", "--fix", "n=3"});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--const", "sr=8000"}, kUsage, {"--const sr", "made with 16000"});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--fix", "n=4"}, kUsage, {"--fix n=4", "made with 3"});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--const", "x=1"}, kUsage, {"--const x", "made without it"});
  const ProgramResult i = expect_success({"inspect", in("m.ert")});
  EXPECT_NE(i.out.find("pinned    n = 3\n"), std::string::npos) << i.out;
  EXPECT_NE(i.out.find("pinned    sr = 16000\n"), std::string::npos) << i.out;
  EXPECT_EQ(i.out.find("input     sr"), std::string::npos) << i.out;
  expect_refusal({"inspect", in("m.ert"), "--fix", "n=3"}, kUsage, {"for models"});
  const ProgramResult m = expect_success({"inspect", in("m.onnx"), "--const", "sr=16000", "--fix", "n=3", "--json"});
  EXPECT_NE(m.out.find("\"fixed_dims\": {\n    \"n\": 3"), std::string::npos) << m.out;
  EXPECT_NE(m.out.find("\"value\": \"16000\""), std::string::npos) << m.out;
}

TEST_F(PinningTest, ABlobWithoutPinningSaysNothingOfIt) {
  write(with_settings());
  convert({});
  const ProgramResult i = expect_success({"inspect", in("m.ert"), "--json"});
  EXPECT_EQ(i.out.find("pinned_inputs"), std::string::npos) << i.out;
  EXPECT_EQ(i.out.find("fixed_dims"), std::string::npos) << i.out;
}

TEST_F(PinningTest, AFixedDimHasOneSize) {
  write(with_settings());
  convert({"--fix", "n=2", "--const", "gain=2"});
  EXPECT_EQ(run_on({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), (Floats{2, 4, 6, 8, 10, 12, 14, 16}));
  std::filesystem::remove_all(in("out"));
  write_file(in("data/input_0.pb"), float_tensor_file("x", {1, 4}, {1, 2, 3, 4}));
  expect_refusal({"run", in("m.ert"), "--data", in("data"), "--out", in("out")}, kUsage, {"x"});
}

TEST_F(PinningTest, SizesThatTheModelDoesNotHave) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "width"});
  w.output("y", kOnnxFloat, {"n", 4});
  w.weights("w", {5, 4});
  w.node("MatMul", {"x", "w"}, {"y"}).set_name("product");
  write(w);
  convert({"--fix", "width=5"});
  expect_usage({"--fix", "width=7"}, {"--fix width = 7", "give sizes that it can have", "product", "7", "5"});
  const std::string said = edgeconv({in("m.onnx"), "-o", in("no.ert"), "--fix", "width=7"}).err;
  EXPECT_EQ(said.find("ONNX"), std::string::npos) << "the file is not to blame: " << said;
}

// "with --fix n = 2 the model contradicts itself; give sizes that it can have" (exit 2), where no size helps.
TEST_F(PinningTest, AFileThatIsWrongAtAnySizeIsToBlame) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 6});
  w.output("y", kOnnxFloat, {"n", 4});
  w.weights("w", {5, 4});
  w.node("MatMul", {"x", "w"}, {"y"}).set_name("product");
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--fix", "n=2"}, kMalformed, {"product", "the file is not valid ONNX"});
}

TEST_F(PinningTest, ContentsOfAFile) {
  write(with_settings());
  write_npy(in("gain.npy"), Tensor::of<float>(DType::kFloat, {4}, {1, 2, 3, 4}));
  write_npy(in("other.npy"), Tensor::of<float>(DType::kFloat, {4}, {1, 2, 3, 5}));
  convert({"--const", "gain=" + in("gain.npy")});
  EXPECT_EQ(run_on({1, 4}, {1, 1, 1, 1}), (Floats{1, 2, 3, 4}));
  expect_refusal({"validate", in("m.onnx"), in("m.ert")}, kUsage, {"--const gain=FILE.npy"});
  expect_refusal({"validate", in("m.onnx"), in("m.ert"), "--const", "gain=" + in("other.npy")}, kUsage, {"other contents"});
  const ProgramResult v = expect_success({"validate", in("m.onnx"), in("m.ert"), "--const", "gain=" + in("gain.npy")});
  EXPECT_NE(v.out.find("certificate: confirmed"), std::string::npos) << v.out;
  // An output never replaces it, whatever --force says.
  expect_refusal({in("m.onnx"), "--const", "gain=" + in("gain.npy"), "-o", in("gain.npy"), "--force"}, kUsage, {"--const"});
  write_npy(in("wide.npy"), Tensor::of<float>(DType::kFloat, {5}, {1, 2, 3, 4, 5}));
  expect_usage({"--const", "gain=" + in("wide.npy")}, {"[5]", "[4]"});
  write_npy(in("whole.npy"), Tensor::ints({1, 2, 3, 4}));
  expect_usage({"--const", "gain=" + in("whole.npy")}, {"int64", "float32"});
}

TEST_F(PinningTest, ValuesOfEveryType) {
  struct Case {
    int32_t type;
    const char* value;
    float result;
  };
  for (const Case& c : {Case{kOnnxFloat, "0.1", 0.1f}, Case{kOnnxFloat, "-2.5e1", -25}, Case{kOnnxInt64, "-3", -3},
                        Case{kOnnxInt64, "16000.0", 16000}, Case{kOnnxUint8, "255", 255}, Case{kOnnxBool, "true", 1},
                        Case{kOnnxBool, "0", 0}, Case{kOnnxFloat16, "65504", 65504}}) {
    write(with_settings(c.type));
    convert({"--const", fmt::format("gain={}", c.value)});
    EXPECT_EQ(run_on({1, 4}, {1, 1, 1, 1}), Floats(4, c.result)) << c.value;
  }
}

// The mean of four views of each sample, as PyPI's mne-icalabel takes it: --dim of the number of views was told that the model has no such dim.
TEST_F(PinningTest, ADimThatNodesGiveOneSizeIsFixedAndHasNoRange) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"views", 7});
  w.output("y", kOnnxFloat, {"samples", 7});
  for (const auto& [name, values] : std::vector<std::pair<std::string, std::vector<int64_t>>>{{"four", {4, -1}}, {"seven", {-1, 7}}}) {
    auto& t = *w.proto().mutable_graph()->add_initializer();
    t.set_name(name), t.set_data_type(kOnnxInt64), t.add_dims(2);
    for (int64_t v : values) t.add_int64_data(v);
  }
  w.node("Reshape", {"x", "four"}, {"grouped"});
  auto& mean = w.node("ReduceMean", {"grouped"}, {"means"});
  ints_attribute(mean, "axes", {0});
  int_attribute(mean, "keepdims", 0);
  w.node("Reshape", {"means", "seven"}, {"y"});
  write(w);
  expect_usage({"--dim", "views=12"}, {"--dim views=12", "no range", "--fix views=12", "--fix views=8"});
  convert({"--fix", "views=8"});
  Floats rows(56), means;
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
  for (size_t i = 0; i < 14; ++i) means.push_back(static_cast<float>(i) + 21);
  EXPECT_EQ(run_on({8, 7}, rows), means);
}

TEST_F(PinningTest, WhatCannotBePinnedIsAUsageErrorThatNamesWhatCan) {
  write(with_settings(kOnnxInt64, {"width"}));
  expect_usage({"--const", "gian=1"}, {"--const gian", "no such input", "x, gain"});
  expect_usage({"--fix", "m=1"}, {"--fix m", "no such dim", "n, width"});
  expect_usage({"--const", "gain=1"}, {"gain", "--fix width=N"});
  write_npy(in("gain.npy"), Tensor::ints({1, 2, 3, 4}));
  expect_usage({"--const", "gain=" + in("gain.npy")}, {"gain", "--fix width=4"});
  expect_usage({"--fix", "n=1", "--dim", "n=4"}, {"--fix n", "--dim n"});
  expect_usage({"--fix", "n=1", "--fix", "n=2"}, {"--fix n", "more than once"});
  expect_usage({"--const", "gain=1", "--const", "gain=2"}, {"--const gain", "more than once"});
  expect_usage({"--fix", "n=0"}, {"--fix n=0", "from 1"});
  expect_usage({"--fix", "n"}, {"--fix n", "NAME=N"});
  expect_usage({"--const", "gain"}, {"--const gain", "INPUT=VALUE"});
  struct Case {
    int32_t type;
    const char* value;
  };
  for (const Case& c : {Case{kOnnxInt64, "1.5"}, Case{kOnnxInt64, "one"}, Case{kOnnxInt64, "true"}, Case{kOnnxUint8, "256"},
                        Case{kOnnxUint8, "-1"}, Case{kOnnxFloat, "16777217"}, Case{kOnnxFloat, "1e39"}, Case{kOnnxFloat, "1e-60"},
                        Case{kOnnxFloat, "nan"}, Case{kOnnxFloat16, "65505"}, Case{kOnnxFloat16, "655040"}, Case{kOnnxBool, "2"},
                        Case{kOnnxInt64, "9223372036854775808"}, Case{kOnnxFloat, "0.12345678901"}}) {
    write(with_settings(c.type));
    expect_usage({"--const", fmt::format("gain={}", c.value)}, {fmt::format("--const gain={}", c.value), "gain"});
  }
}

// PaddlePaddle writes "?" for every size that it does not know, tf2onnx names like unk__12.
TEST_F(PinningTest, AxesOfUnknownNameAreSeparateDims) {
  for (const char* name : {"?", "unk__7"}) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"n", name, name});
    w.output("y", kOnnxFloat, {"n", name, name});
    w.node("Relu", {"x"}, {"y"});
    write(w);
    convert({"--dim", "x_1=3", "--dim", "x_2=5"});
    EXPECT_EQ(run_on({1, 1, 2}, {-1, 1}), (Floats{0, 1})) << name;
  }
}

}  // namespace

}  // namespace edgeconv::testing
