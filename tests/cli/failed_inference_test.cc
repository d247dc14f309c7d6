// Models whose shapes cannot be inferred once a pass has written an operator with others: problems are listed, nothing is read that
// inference has cleared.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// A one-dimensional constant of one of the integer types, all ones.
void integers(ModelWriter& w, const std::string& name, int32_t type, const std::vector<int64_t>& dims) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  int64_t elements = 1;
  for (const int64_t d : dims) {
    t->add_dims(d);
    elements *= d;
  }
  for (int64_t i = 0; i < elements; ++i) t->add_int32_data(1);
}

void ones(ModelWriter& w, const std::string& name, int64_t count) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxFloat);
  t->add_dims(count);
  for (int64_t i = 0; i < count; ++i) t->add_float_data(1);
}

class FailedInferenceTest : public CliTest {
 protected:
  // As it is, and beside an operator that is refused, so that the rest of the problems is looked for. Sizes that contradict each other are seen
  // at once, or (late) when a pass has written the operator with others.
  void expect_listed(const ModelWriter& w, const std::string& op, bool late = false) {
    write_file(in("m.onnx"), w.bytes());
    expect_refusal({in("m.onnx")}, kMalformed, {op});
    ModelWriter second = w;
    second.input("other", kOnnxFloat, {4});
    second.output("found", kOnnxInt64, {1, "n"});
    second.node("NonZero", {"other"}, {"found"});
    write_file(in("m.onnx"), second.bytes());
    expect_refusal({in("m.onnx")}, late ? kUnsupported : kMalformed, {"NonZero"});
    if (!late) return expect_refusal({"inspect", in("m.onnx")}, kMalformed, {op, "NonZero"});
    expect_success({"inspect", in("m.onnx")});
    expect_success({"inspect", in("m.onnx"), "--json"});
  }
};

// 5 scales for an axis of 3.
TEST_F(FailedInferenceTest, QuantizeLinearIsListedTwiceWithoutAShape) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {2, 3});
  ones(w, "scale", 5);
  integers(w, "zero", kOnnxUint8, {5});
  w.node("QuantizeLinear", {"x", "scale", "zero"}, {"y"});
  w.output("y", kOnnxUint8, {2, 3});
  expect_listed(w, "QuantizeLinear");
}

TEST_F(FailedInferenceTest, QuantizeLinearAlongAnAxisThatIsNotThere) {
  for (const int64_t axis : {7, -7}) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {2, 3});
    ones(w, "scale", 3);
    integers(w, "zero", kOnnxUint8, {3});
    auto* a = w.node("QuantizeLinear", {"x", "scale", "zero"}, {"y"}).add_attribute();
    a->set_name("axis");
    a->set_type(2);
    a->set_i(axis);
    w.output("y", kOnnxUint8, {2, 3});
    expect_listed(w, "QuantizeLinear");
  }
}

TEST_F(FailedInferenceTest, DequantizeLinearIsListedTwiceWithoutAShape) {
  ModelWriter w;
  w.input("x", kOnnxUint8, {2, 3});
  ones(w, "scale", 5);
  integers(w, "zero", kOnnxUint8, {5});
  w.node("DequantizeLinear", {"x", "scale", "zero"}, {"y"});
  w.output("y", kOnnxFloat, {2, 3});
  expect_listed(w, "DequantizeLinear");
}

TEST_F(FailedInferenceTest, MatMulIntegerIsListedTwiceWithoutAShape) {
  ModelWriter w;
  w.input("a", kOnnxUint8, {4, 3});
  w.input("b", kOnnxUint8, {3, 2});
  integers(w, "zero", kOnnxUint8, {5});
  w.node("MatMulInteger", {"a", "b", "zero"}, {"y"});
  w.output("y", kOnnxInt32, {4, 2});
  expect_listed(w, "MatMulInteger", true);
}

TEST_F(FailedInferenceTest, ConvIntegerIsListedTwiceWithoutAShape) {
  ModelWriter w;
  w.input("x", kOnnxUint8, {1, 3, 8});
  integers(w, "w", kOnnxInt8, {4, 3, 3});
  integers(w, "x_zero", kOnnxUint8, {1});
  integers(w, "w_zero", kOnnxInt8, {7});
  w.node("ConvInteger", {"x", "w", "x_zero", "w_zero"}, {"y"});
  w.output("y", kOnnxInt32, {1, 4, 6});
  expect_listed(w, "ConvInteger", true);
}

}  // namespace

}  // namespace edgeconv::testing
