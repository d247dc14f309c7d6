// Warnings about what exports commonly get wrong, none where all is well, and float types that devices do not take.
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

struct Ids {
  std::vector<OnnxDim> shape{"batch", "sequence"};
  bool use_mask = true;  // multiply the embeddings by the mask
  bool swap = false;     // the mask selects token types
  const char* mask = "attention_mask";
};

// input_ids, attention_mask, token_type_ids -> y [batch, sequence, 16]
ModelWriter encoder(const Ids& o) {
  ModelWriter w;
  const std::string types = o.swap ? o.mask : "token_type_ids", mask = o.swap ? "token_type_ids" : o.mask;
  for (const std::string& name : {std::string("input_ids"), std::string(o.mask), std::string("token_type_ids")})
    w.input(name, kOnnxInt64, o.shape);
  w.output("y", kOnnxFloat, {"batch", "sequence", 16});
  w.weights("words", {100, 16});
  w.weights("types", {2, 16});
  w.node("Gather", {"words", "input_ids"}, {"a"});
  w.node("Gather", {"types", types}, {"b"});
  w.node("Add", {"a", "b"}, {"s"});
  if (!o.use_mask) {
    w.node("Relu", {"s"}, {"y"});
    return w;
  }
  w.masked("s", mask, "y");
  return w;
}

class DiagnosisTest : public CliTest {
 protected:
  // Stderr of a conversion that succeeds.
  std::string said(ModelWriter w) {
    write_file(in("m.onnx"), w.bytes());
    const std::string inspected = expect_success({"inspect", in("m.onnx")}).out,
                      converted = expect_success({in("m.onnx"), "-q"}).err;
    // inspect and convert say the same.
    for (size_t at = converted.find("warning: "); at != std::string::npos; at = converted.find("warning: ", at + 1)) {
      const std::string text = converted.substr(at + 9, converted.find('\n', at) - at - 9);
      const bool of_conversion = text.find("cosine") != std::string::npos || text.find("float32") != std::string::npos;
      EXPECT_TRUE(of_conversion || inspected.find(text) != std::string::npos) << text;
    }
    return converted;
  }
  static int count(const std::string& text, const std::string& word) {
    int n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  }
};

TEST_F(DiagnosisTest, GoodModelsGetNoWarning) { EXPECT_EQ(said(encoder({})), ""); }

TEST_F(DiagnosisTest, DroppedMask) {
  Ids o;
  o.use_mask = false;
  const std::string text = said(encoder(o));
  EXPECT_EQ(count(text, "warning:"), 1) << text;
  EXPECT_NE(text.find("'attention_mask' has no path to any output: padding will be attended"), std::string::npos) << text;
}

// Reading only the shape of the mask is no use of it.
TEST_F(DiagnosisTest, MaskOfWhichOnlyTheShapeIsRead) {
  Ids o;
  o.use_mask = false;
  ModelWriter w = encoder(o);
  w.output("size", kOnnxInt64, {2});
  w.node("Shape", {"attention_mask"}, {"size"});
  EXPECT_NE(said(w).find("'attention_mask' has no path"), std::string::npos);
}

TEST_F(DiagnosisTest, UnusedInput) {
  ModelWriter w = encoder({});
  w.input("bbox", kOnnxInt64, {"batch", "sequence"});
  const std::string text = said(w);
  EXPECT_EQ(count(text, "warning:"), 1) << text;
  EXPECT_NE(text.find("'bbox' has no path to any output"), std::string::npos) << text;
}

TEST_F(DiagnosisTest, SwappedInputs) {
  Ids o;
  o.swap = true;
  const std::string text = said(encoder(o));
  EXPECT_EQ(count(text, "warning:"), 1) << text;
  EXPECT_NE(text.find("'attention_mask' selects rows of a table of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("by position"), std::string::npos) << text;
}

TEST_F(DiagnosisTest, FixedSizes) {
  Ids o;
  o.shape = {1, 24};
  std::string text = said(encoder(o));
  EXPECT_EQ(count(text, "warning:"), 1) << text;
  EXPECT_NE(text.find("batch and sequence of 'input_ids' [1, 24]"), std::string::npos) << text;
  EXPECT_NE(text.find("dynamic_axes"), std::string::npos) << text;
  // Warnings were cut at 240 bytes, before the end of the advice.
  EXPECT_NE(text.find("dynamic_shapes) to run any size"), std::string::npos) << text;
  o.shape = {"batch", 24};
  text = said(encoder(o));
  EXPECT_EQ(count(text, "warning:"), 1) << text;
  EXPECT_NE(text.find("sequence length of"), std::string::npos) << text;
}

// Graphs of molecules: two rows of edges, six indices of a residue. They were told that the model runs at one length only.
TEST_F(DiagnosisTest, ConstantAxesOfWhatIsNoIdsAreNoFixedLength) {
  ModelWriter w;
  w.input("edges", kOnnxInt64, {2, "n"});
  w.input("chosen", kOnnxBool, {"n", 6});
  w.input("x", kOnnxFloat, {"n", 6});
  w.output("y", kOnnxFloat, {"n", 6});
  w.output("e", kOnnxInt64, {2, "n"});
  w.node("Where", {"chosen", "x", "half"}, {"y"});
  w.node("Abs", {"edges"}, {"e"});
  w.weights("half", {1});
  EXPECT_EQ(said(w).find("fixed in the file"), std::string::npos);
}

TEST_F(DiagnosisTest, OperatorSetsNewerThanTheTestedOnes) {
  for (int64_t opset : {24, 25, 28}) {
    ModelWriter w(opset);
    w.input("x", kOnnxFloat, {"batch", 16});
    w.output("y", kOnnxFloat, {"batch", 4});
    w.weights("w", {16, 4});
    w.node("MatMul", {"x", "w"}, {"y"});
    EXPECT_EQ(count(said(w), "is newer than 24"), opset > 24 ? 1 : 0) << opset;
  }
}

TEST_F(DiagnosisTest, MaskTimesInfinity) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 4});
  w.output("y", kOnnxFloat, {"batch", 4});
  auto* c = w.proto().mutable_graph()->add_initializer();
  c->set_name("inf");
  c->set_data_type(kOnnxFloat);
  c->add_float_data(-__builtin_inff());
  w.node("Mul", {"x", "inf"}, {"p"});
  w.node("Max", {"p", "x"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  EXPECT_NE(expect_success({"inspect", in("m.onnx")}).out.find("0 * inf is NaN"), std::string::npos);
}

// A conversion that fails says what it would have warned about.
TEST_F(DiagnosisTest, FailuresKeepTheWarnings) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 4});
  w.input("mask", kOnnxFloat, {"batch", 4});
  w.output("y", kOnnxFloat, {"batch", 4});
  auto* c = w.proto().mutable_graph()->add_initializer();
  c->set_name("inf");
  c->set_data_type(kOnnxFloat);
  c->add_float_data(-__builtin_inff());
  w.node("Sub", {"mask", "mask"}, {"none"});
  w.node("Mul", {"none", "inf"}, {"bias"});
  w.node("Add", {"x", "bias"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-o", in("m.ert")}, kAccuracy, {"0 * inf is NaN", "itself gives NaN or infinity in output 'y'"});
}

// TorchScript drops inputs that forward() does not use.
TEST_F(DiagnosisTest, AttentionWithoutAnyMask) {
  enum Mask { kNone, kMadeUp, kGiven };
  for (const Mask mask : {kNone, kMadeUp, kGiven}) {
    const bool masked = mask == kGiven, made_up = mask == kMadeUp;
    ModelWriter w;
    w.input("input_ids", kOnnxInt64, {"batch", "sequence"});
    if (masked) w.input("bias", kOnnxFloat, {"batch", 1, "sequence"});
    w.output("y", kOnnxFloat, {"batch", "sequence", 16});
    w.weights("words", {100, 16});
    w.node("Gather", {"words", "input_ids"}, {"x"});
    auto* perm = w.node("Transpose", {"x"}, {"k"}).add_attribute();
    perm->set_name("perm");
    perm->set_type(7);
    for (int64_t axis : {0, 2, 1}) perm->add_ints(axis);
    w.node("MatMul", {"x", "k"}, {"scores"});
    if (masked) w.node("Add", {"scores", "bias"}, {"biased"});
    if (made_up) {  // zeros in the shape of the ids, as models make up a mask that they were not given
      w.node("Shape", {"input_ids"}, {"shape"});
      w.node("ConstantOfShape", {"shape"}, {"zeros"});
      w.node("Unsqueeze", {"zeros", "one"}, {"bias"});
      auto* one = w.proto().mutable_graph()->add_initializer();
      one->set_name("one");
      one->set_data_type(kOnnxInt64);
      one->add_dims(1);
      one->add_int64_data(1);
      w.node("Add", {"scores", "bias"}, {"biased"});
    }
    auto* axis = w.node("Softmax", {masked || made_up ? "biased" : "scores"}, {"p"}).add_attribute();
    axis->set_name("axis");
    axis->set_type(2);
    axis->set_i(-1);
    w.node("MatMul", {"p", "x"}, {"y"});
    EXPECT_EQ(count(said(w), "no input masks the attention over 'sequence'"), masked ? 0 : 1);
  }
}

// forward() pads to 32 tokens itself: longer texts cannot run, and shorter ones cost as much.
TEST_F(DiagnosisTest, PaddingToAFixedLengthInsideTheModel) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", "sequence"});
  w.input("ids", kOnnxInt64, {"batch", "sequence"});
  w.output("y", kOnnxFloat, {"batch", 32});
  w.output("z", kOnnxInt64, {"batch", "sequence"});
  const auto integers = [&](const char* name, std::vector<int64_t> v) {
    auto* c = w.proto().mutable_graph()->add_initializer();
    c->set_name(name);
    c->set_data_type(kOnnxInt64);
    c->add_dims(static_cast<int64_t>(v.size()));
    for (int64_t i : v) c->add_int64_data(i);
  };
  integers("full", {32});
  integers("one", {1});
  integers("none", {0, 0, 0});
  w.node("Shape", {"ids"}, {"shape"});
  w.node("Gather", {"shape", "one"}, {"length"});
  w.node("Sub", {"full", "length"}, {"missing"});
  w.node("Concat", {"none", "missing"}, {"pads"}).add_attribute()->set_name("axis");
  w.proto().mutable_graph()->mutable_node(3)->mutable_attribute(0)->set_type(2);
  w.node("Pad", {"x", "pads"}, {"y"});
  w.node("Neg", {"ids"}, {"z"});
  const std::string text = said(w);
  EXPECT_NE(text.find("pads dim 'sequence' to 32 inside the model"), std::string::npos) << text;
}

TEST_F(DiagnosisTest, ConstantThatOverflowsInHalf) {
  ModelWriter w;
  w.input("x", kOnnxFloat16, {"batch", 4});
  w.output("y", kOnnxFloat16, {"batch", 4});
  auto* c = w.proto().mutable_graph()->add_initializer();
  c->set_name("min");
  c->set_data_type(kOnnxFloat);
  c->add_float_data(-3.4e38f);
  auto* to = w.node("Cast", {"min"}, {"half"}).add_attribute();
  to->set_name("to");
  to->set_type(2);
  to->set_i(kOnnxFloat16);
  w.node("Max", {"x", "half"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  EXPECT_NE(expect_success({"inspect", in("m.onnx")}).out.find("to float16, where it becomes infinite"), std::string::npos);
}

// Boxes that a detector puts in order itself, by scores that it computes; scores that come in are the same numbers everywhere.
TEST_F(DiagnosisTest, RowsInTheOrderOfScores) {
  for (const bool computed : {true, false})
    for (const int64_t kept : {3, 1}) {
      ModelWriter w;
      w.input("x", kOnnxFloat, {"batch", 8});
      w.output("y", kOnnxFloat, {"batch", kept});
      w.weights("w", {8, 8});
      pb::TensorProto& k = *w.proto().mutable_graph()->add_initializer();
      k.set_name("k");
      k.set_data_type(kOnnxInt64);
      k.add_dims(1);
      k.add_int64_data(kept);
      w.node("MatMul", {"x", "w"}, {"boxes"});
      w.node("TopK", {computed ? "boxes" : "x", "k"}, {"best", "at"});
      int_attribute(w.node("GatherElements", {"boxes", "at"}, {"y"}), "axis", 1);
      EXPECT_EQ(count(said(w), "the rows of output 'y' stand in the order of scores"), computed && kept > 1 ? 1 : 0);
    }
}

// Inputs and outputs of other float types are float32 in the blob; data files of the model's own type still fit.
TEST_F(DiagnosisTest, OtherFloatTypesAtTheBoundary) {
  for (const int32_t type : {kOnnxFloat16, kOnnxDouble}) {
    ModelWriter w;
    w.input("x", type, {"batch", 4});
    w.output("y", type, {"batch", 4});
    w.node("Neg", {"x"}, {"y"});
    const std::string text = said(w);
    EXPECT_NE(text.find("input 'x' is"), std::string::npos) << text;
    EXPECT_NE(text.find("output 'y' is"), std::string::npos) << text;
    EXPECT_EQ(count(text, "the blob has it as float32"), 2) << text;
    expect_success({"verify", in("m.ert")});
    expect_success({"validate", in("m.onnx"), in("m.ert")});
    const Tensor x = Tensor::of<float>(DType::kFloat, {2, 4}, {0.5f, -1, 2, -3, 4, -5, 6, 0.25f});
    std::filesystem::create_directory(in("data"));
    for (const DType given : {DType::kFloat, static_cast<DType>(type)}) {
      write_tensor_pb(in("data/input_0.pb"), "x", x.cast(given));
      expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
      const Tensor y = read_tensor_pb(in("out/output_0.pb"), nullptr);
      EXPECT_EQ(y.dtype(), DType::kFloat);
      EXPECT_EQ(y.to_float(), (std::vector<float>{-0.5f, 1, -2, 3, -4, 5, -6, -0.25f}));
    }
  }
}

}  // namespace

}  // namespace edgeconv::testing
