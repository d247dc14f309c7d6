// Models that ONNX Runtime runs and that were once refused: each converts, runs, and gives what it must.
#include <cmath>
#include <limits>

#include "convert/ir/half.h"
#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using Floats = std::vector<float>;

void floats(ModelWriter& w, const std::string& name, int32_t type, const std::vector<int64_t>& dims, const Floats& v) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  for (int64_t d : dims) t->add_dims(d);
  for (float x : v) {
    if (type == kOnnxFloat16)
      t->add_int32_data(float_to_half(x));
    else
      t->add_float_data(x);
  }
}

void ints(ModelWriter& w, const std::string& name, const std::vector<int64_t>& v) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxInt64);
  t->add_dims(static_cast<int64_t>(v.size()));
  for (int64_t x : v) t->add_int64_data(x);
}

std::string ids_file(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& v) {
  pb::TensorProto t;
  t.set_name(name);
  t.set_data_type(kOnnxInt64);
  for (int64_t d : dims) t.add_dims(d);
  for (int64_t x : v) t.add_int64_data(x);
  return t.SerializeAsString();
}

class WrongRefusalsTest : public CliTest {
 protected:
  void convert(const ModelWriter& w, const std::vector<std::string>& flags = {}, const std::string& precision = "fp32") {
    write_file(in("m.onnx"), w.bytes());
    std::vector<std::string> arguments{in("m.onnx"), "-q", "--precision", precision};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_success(arguments);
  }
  Tensor run(const std::vector<std::string>& inputs) {
    std::filesystem::remove_all(in("data"));
    std::filesystem::create_directory(in("data"));
    for (size_t i = 0; i < inputs.size(); ++i) write_file(in("data/input_" + std::to_string(i) + ".pb"), inputs[i]);
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    return read_tensor_pb(in("out/output_0.pb"), nullptr);
  }
};

// "its automatic padding depends on a size that is not fixed": it has none.
TEST_F(WrongRefusalsTest, AConvInFloat16) {
  ModelWriter w;
  w.input("x", kOnnxFloat16, {"n", 1, "length"});
  w.output("y", kOnnxFloat16, {"n", 1, "length"});
  floats(w, "w", kOnnxFloat16, {1, 1, 2}, {1, 0.5f});
  w.node("Conv", {"x", "w"}, {"y"});
  for (const char* precision : {"fp32", "auto"}) {
    convert(w, {"--dim", "length=8"}, precision);
    const Floats y = run({float_tensor_file("x", {1, 1, 4}, {1, 2, 3, 4})}).to_float();
    ASSERT_EQ(y.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(y[i], static_cast<float>(i + 1) + 0.5f * static_cast<float>(i + 2), 0.05f) << precision;
  }
}

TEST_F(WrongRefusalsTest, AnIfWhoseConditionIsAMatrixOfOneElement) {
  for (const std::vector<OnnxDim>& dims : {std::vector<OnnxDim>{1}, {1, 1}, {1, 1, 1}}) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"n", 2});
    w.input("c", kOnnxBool, dims);
    w.output("y", kOnnxFloat, {"n", 2});
    auto& n = w.node("If", {"c"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto* a = n.add_attribute();
      a->set_name(branch);
      a->set_type(5);
      auto* inner = a->mutable_g()->add_node();
      inner->set_op_type(branch[0] == 't' ? "Neg" : "Abs");
      inner->add_input("x");
      inner->add_output(branch);
      a->mutable_g()->add_output()->set_name(branch);
    }
    convert(w);
    for (const bool condition : {true, false}) {
      pb::TensorProto c;
      c.set_name("c");
      c.set_data_type(kOnnxBool);
      for (size_t i = 0; i < dims.size(); ++i) c.add_dims(1);
      c.add_int32_data(condition);
      EXPECT_EQ(run({float_tensor_file("x", {1, 2}, {2, -3}), c.SerializeAsString()}).to_float(),
                condition ? (Floats{-2, 3}) : (Floats{2, 3}));
    }
  }
}

// Rows of an attention bias that forbid. Tables of more than 64 rows are int8 otherwise, which has no infinity.
TEST_F(WrongRefusalsTest, ATableWithARowOfMinusInfinity) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const int64_t rows : {4, 100}) {
    ModelWriter w;
    w.input("ids", kOnnxInt64, {"n", 2});
    w.input("x", kOnnxFloat, {"n", 2, 2});
    w.output("y", kOnnxFloat, {"n", 2, 2});
    Floats table(static_cast<size_t>(rows) * 2, 0.25f);
    table[2] = -kInf;  // of row 1
    floats(w, "table", kOnnxFloat, {rows, 2}, table);
    w.node("Gather", {"table", "ids"}, {"bias"});
    w.node("Add", {"x", "bias"}, {"scores"});
    int_attribute(w.node("Softmax", {"scores"}, {"y"}), "axis", -1);
    for (const char* precision : {"fp32", "auto", "int8"}) {
      convert(w, {}, precision);
      const Floats y = run({ids_file("ids", {1, 2}, {0, 1}), float_tensor_file("x", {1, 2, 2}, {0, 0, 0, 0})}).to_float();
      EXPECT_EQ(y, (Floats{0.5f, 0.5f, 0, 1})) << precision << " " << rows;
    }
  }
}

TEST_F(WrongRefusalsTest, NanInATableIsStillRefused) {
  ModelWriter w;
  w.input("ids", kOnnxInt64, {"n"});
  w.output("y", kOnnxFloat, {"n", 2});
  floats(w, "table", kOnnxFloat, {2, 2}, {1, 2, 3, std::numeric_limits<float>::quiet_NaN()});
  w.node("Gather", {"table", "ids"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-q"}, 3, {"table", "NaN"});
}

TEST_F(WrongRefusalsTest, AWhereOfFloat16AndFloat32) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 2});
  w.output("y", kOnnxFloat, {"n", 2});
  floats(w, "zero", kOnnxFloat, {1}, {0});
  floats(w, "half", kOnnxFloat16, {1}, {-2});
  w.node("Greater", {"x", "zero"}, {"positive"});
  w.node("Where", {"positive", "half", "x"}, {"y"});
  convert(w);
  EXPECT_EQ(run({float_tensor_file("x", {1, 2}, {0.1f, -0.1f})}).to_float(), (Floats{-2, -0.1f}));
}

// x[:, size-1::-1], and down to the middle: bounds that are computed from the size.
TEST_F(WrongRefusalsTest, ABackwardSliceWithSymbolicBounds) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", "length"});
  w.output("y", kOnnxFloat, {"n", "length"});
  ints(w, "zero", {0});
  ints(w, "one", {1});
  ints(w, "two", {2});
  ints(w, "minus_one", {-1});
  ints(w, "first", {std::numeric_limits<int64_t>::min()});
  w.node("Shape", {"x"}, {"shape"});
  w.node("Slice", {"shape", "one", "two"}, {"length"});
  w.node("Sub", {"length", "one"}, {"last"});
  w.node("Div", {"length", "two"}, {"middle"});
  struct Case {
    const char *start, *end;
    Floats odd;
  };
  for (const Case& c : {Case{"last", "first", {5, 4, 3, 2, 1}}, Case{"last", "zero", {5, 4, 3, 2}},
                        Case{"last", "middle", {5, 4}}, Case{"length", "middle", {5, 4}}, Case{"middle", "first", {3, 2, 1}}}) {
    ModelWriter one = w;
    one.node("Slice", {"x", c.start, c.end, "one", "minus_one"}, {"y"});
    convert(one, {"--dim", "length=16"});
    EXPECT_EQ(run({float_tensor_file("x", {1, 5}, {1, 2, 3, 4, 5})}).to_float(), c.odd) << c.start << " " << c.end;
  }
}

// The model fixes the sizes: one run takes some seconds, and a conversion to fp32 does little more than that.
TEST_F(WrongRefusalsTest, MuchWorkInFp32) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {int64_t{1} << 14, 64});
  w.output("y", kOnnxFloat, {int64_t{1} << 14, 64});
  Floats turn(64 * 64);  // columns move by one: no product grows or shrinks
  for (size_t i = 0; i < 64; ++i) turn[i * 64 + (i + 1) % 64] = 1;
  floats(w, "w", kOnnxFloat, {64, 64}, turn);
  std::string last = "x";
  for (int i = 0; i < 400; ++i) {
    w.node("MatMul", {last, "w"}, {"t" + std::to_string(i)});
    last = "t" + std::to_string(i);
  }
  w.node("Tanh", {last}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-q"}, 5, {"too much work"});
  expect_success({in("m.onnx"), "-q", "--precision", "fp32", "--golden", "none"});
}

// A convolution that needs 8 positions behind a table of 4: no --dim helps.
TEST_F(WrongRefusalsTest, NoHintToRaiseADimThatATableForbids) {
  ModelWriter w;
  w.input("ids", kOnnxInt64, {"n", "length"});
  w.output("y", kOnnxFloat, {"n", "length"});
  w.weights("words", {50, 2});
  w.weights("positions", {1, 4, 2});
  w.weights("filter", {1, 2, 8});
  ints(w, "zero", {0});
  ints(w, "one", {1});
  ints(w, "two", {2});
  w.node("Shape", {"ids"}, {"shape"});
  w.node("Slice", {"shape", "one", "two"}, {"length"});
  w.node("Slice", {"positions", "zero", "length", "one"}, {"p"});
  w.node("Gather", {"words", "ids"}, {"e"});
  w.node("Add", {"e", "p"}, {"s"});
  auto* perm = w.node("Transpose", {"s"}, {"t"}).add_attribute();
  perm->set_name("perm");
  perm->set_type(7);
  for (int64_t axis : {0, 2, 1}) perm->add_ints(axis);
  w.node("Conv", {"t", "filter"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  const ProgramResult r = edgeconv({in("m.onnx"), "-q"});
  EXPECT_EQ(r.exit_code, 4) << r.err;
  EXPECT_NE(r.err.find("length at most 4"), std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("--dim"), std::string::npos) << r.err;
}

// In Gather ids below zero count from the end, whichever op it becomes and however the ids came to be.
TEST_F(WrongRefusalsTest, IdsBelowZeroThatReachAnEmbedding) {
  for (const int64_t rows : {10, 100}) {
    ModelWriter w;
    w.input("ids", kOnnxInt64, {"n", 2});
    w.output("y", kOnnxFloat, {"n", 2, 1});
    Floats table;
    for (int64_t i = 0; i < rows; ++i) table.push_back(static_cast<float>(i));
    floats(w, "table", kOnnxFloat, {rows, 1}, table);
    ints(w, "three", {3});
    w.node("Sub", {"ids", "three"}, {"moved"});
    w.node("Gather", {"table", "moved"}, {"y"});
    convert(w);
    EXPECT_EQ(run({ids_file("ids", {1, 2}, {1, 5})}).to_float(), (Floats{static_cast<float>(rows - 2), 2}));
    EXPECT_EQ(run({ids_file("ids", {1, 2}, {-1, 3})}).to_float(), (Floats{static_cast<float>(rows - 4), 0}));
  }
}

// A Range of floats whose end is a size: was refused, with half steps by a message without node and hint.
TEST_F(WrongRefusalsTest, ARangeOfFloatsThatASizeEnds) {
  for (const auto& [start, step] : {std::pair{0.0f, 1.0f}, {0.0f, 0.5f}, {1.5f, 2.0f}}) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"n"});
    w.output("y", kOnnxFloat, {"m"});
    floats(w, "start", kOnnxFloat, {}, {start});
    floats(w, "step", kOnnxFloat, {}, {step});
    w.node("Size", {"x"}, {"size"});
    int_attribute(w.node("Cast", {"size"}, {"end"}), "to", kOnnxFloat);
    w.node("Range", {"start", "end", "step"}, {"positions"});
    w.node("Add", {"positions", "start"}, {"y"});
    convert(w, {"--dim", "n=8", "--force"});
    for (const int64_t n : {1, 3, 8}) {
      Floats want;
      for (int i = 0; start + static_cast<float>(i) * step < static_cast<float>(n); ++i) want.push_back(2 * start + static_cast<float>(i) * step);
      if (want.empty()) continue;
      EXPECT_EQ(run({float_tensor_file("x", {n}, Floats(static_cast<size_t>(n), 1))}).to_float(), want) << start << " " << step << " " << n;
    }
  }
}

TEST_F(WrongRefusalsTest, ARangeOfFloatsThatTheDataEndIsNamed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n"});
  w.output("y", kOnnxFloat, {"m"});
  floats(w, "start", kOnnxFloat, {}, {0});
  floats(w, "step", kOnnxFloat, {}, {0.5f});
  int_attribute(w.node("ReduceMax", {"x"}, {"end"}), "keepdims", 0);
  w.node("Range", {"start", "end", "step"}, {"y"}).set_name("positions");
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "n=8"}, kUnsupported, {"positions", "depends on the data", "plans memory"});
}

}  // namespace

}  // namespace edgeconv::testing
