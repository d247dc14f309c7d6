// Files that contradict ONNX, each with its exact exit code and what the message must name. What is only unsupported stays 4.
#include <functional>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr int kOk = 0, kMalformed = 3, kUnsupported = 4;
constexpr int64_t kNewestOpset = 28, kNewestIr = 14;  // import/registry.h

void number(ModelWriter& w, const std::string& name, int32_t type, int32_t v) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  if (type == kOnnxFloat)
    t->add_float_data(static_cast<float>(v));
  else if (type == kOnnxInt64)
    t->add_int64_data(v);
  else
    t->add_int32_data(v);
}

// x [n, 4], y [n, 4], k int64 [n, 4], q uint8 [n, 4]
ModelWriter base() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.input("k", kOnnxInt64, {"n", 4});
  w.input("q", kOnnxUint8, {"n", 4});
  w.input("b", kOnnxBool, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  return w;
}

struct Case {
  const char* name;
  int exit_code;
  std::vector<std::string> words;
  std::function<void(ModelWriter&)> write;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"a product of sizes that do not fit",
       kMalformed,
       {"product", "4", "5"},
       [](ModelWriter& w) {
         w.weights("w", {5, 4});
         w.node("MatMul", {"x", "w"}, {"y"}).set_name("product");
       }},
      {"a sum of a float and an integer",
       kMalformed,
       {"sum", "int64", "float32"},
       [](ModelWriter& w) {
         w.node("Add", {"x", "k"}, {"y"}).set_name("sum");
       }},
      {"sizes that do not broadcast",
       kMalformed,
       {"sum", "4", "3"},
       [](ModelWriter& w) {
         w.weights("w", {3});
         w.node("Add", {"x", "w"}, {"y"}).set_name("sum");
       }},
      {"an LSTM over a matrix",
       kMalformed,
       {"steps", "rank 3"},
       [](ModelWriter& w) {
         w.weights("w", {1, 16, 4});
         w.weights("r", {1, 16, 4});
         int_attribute(w.node("LSTM", {"x", "w", "r"}, {"y"}), "hidden_size", 4);
         w.proto().mutable_graph()->mutable_node(0)->set_name("steps");
       }},
      {"a condition that is a number",
       kMalformed,
       {"choice", "bool"},
       [](ModelWriter& w) {
         w.node("Where", {"x", "x", "x"}, {"y"}).set_name("choice");
       }},
      {"indices that are floats",
       kMalformed,
       {"lookup", "float32"},
       [](ModelWriter& w) {
         w.weights("table", {9, 4});
         w.node("Gather", {"table", "x"}, {"y"}).set_name("lookup");
       }},
      {"an axis outside of the rank",
       kMalformed,
       {"probabilities", "axis 2"},
       [](ModelWriter& w) {
         auto& n = w.node("Softmax", {"x"}, {"y"});
         n.set_name("probabilities");
         int_attribute(n, "axis", 2);
       }},
      {"a Concat of different ranks",
       kMalformed,
       {"joined", "rank"},
       [](ModelWriter& w) {
         w.weights("w", {4});
         auto& n = w.node("Concat", {"x", "w"}, {"y"});
         n.set_name("joined");
         int_attribute(n, "axis", 0);
       }},
      {"the same attribute twice",
       kMalformed,
       {"probabilities", "'axis'", "twice"},
       [](ModelWriter& w) {
         auto& n = w.node("Softmax", {"x"}, {"y"});
         n.set_name("probabilities");
         int_attribute(n, "axis", 1);
         int_attribute(n, "axis", 0);
       }},
      {"two versions of one domain",
       kMalformed,
       {"two versions", "ai.onnx", "17", "13"},
       [](ModelWriter& w) {
         w.opset("ai.onnx", 13);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"one version of a domain twice",
       kOk,
       {},
       [](ModelWriter& w) {
         w.opset("ai.onnx", 17);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"a domain that is not imported",
       kMalformed,
       {"activation", "com.microsoft"},
       [](ModelWriter& w) { w.node("Gelu", {"x"}, {"y"}, "com.microsoft").set_name("activation"); }},
      {"no domain at all",
       kMalformed,
       {"no operator set"},
       [](ModelWriter& w) {
         w.proto().clear_opset_import();
         w.node("Relu", {"x"}, {"y"});
       }},
      {"ai.onnx not imported",
       kMalformed,
       {"ai.onnx", "rectified"},
       [](ModelWriter& w) {
         w.proto().clear_opset_import();
         w.opset("com.microsoft", 1);
         w.node("Relu", {"x"}, {"y"}).set_name("rectified");
       }},
      {"a value that two nodes produce",
       kMalformed,
       {"'y'"},
       [](ModelWriter& w) {
         w.node("Relu", {"x"}, {"y"});
         w.node("Neg", {"x"}, {"y"});
       }},
      {"a value that is an input too",
       kMalformed,
       {"second", "'x'"},
       [](ModelWriter& w) {
         w.node("Relu", {"b"}, {"x"}).set_name("second");
         w.node("Neg", {"x"}, {"y"});
       }},
      {"a value that is an initializer too",
       kMalformed,
       {"second", "'w'"},
       [](ModelWriter& w) {
         w.weights("w", {4});
         w.node("Relu", {"x"}, {"w"}).set_name("second");
         w.node("Neg", {"w"}, {"y"});
       }},
      {"an input that is there twice",
       kMalformed,
       {"'x'", "twice"},
       [](ModelWriter& w) {
         w.input("x", kOnnxFloat, {"n", 4});
         w.node("Neg", {"x"}, {"y"});
       }},
      {"a zero point of another type",
       kMalformed,
       {"real", "int8", "uint8"},
       [](ModelWriter& w) {
         number(w, "scale", kOnnxFloat, 1);
         number(w, "zero", kOnnxInt8, 3);
         w.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"}).set_name("real");
       }},
      {"a zero point of the right type",
       kOk,
       {},
       [](ModelWriter& w) {
         number(w, "scale", kOnnxFloat, 1);
         number(w, "zero", kOnnxUint8, 3);
         w.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"}).set_name("real");
       }},
      {"a zero point of another type than the product's side",
       kMalformed,
       {"product", "int8", "uint8"},
       [](ModelWriter& w) {
         number(w, "zero", kOnnxInt8, 3);
         auto* t = w.proto().mutable_graph()->add_initializer();
         t->set_name("w");
         t->set_data_type(kOnnxUint8);
         t->add_dims(4);
         t->add_dims(4);
         for (int i = 0; i < 16; ++i) t->add_int32_data(i);
         w.node("MatMulInteger", {"q", "w", "zero"}, {"i"}).set_name("product");
         int_attribute(w.node("Cast", {"i"}, {"y"}), "to", kOnnxFloat);
       }},
      {"an opset 5 newer than known",
       kOk,
       {},
       [](ModelWriter& w) {
         w.proto().mutable_opset_import(0)->set_version(kNewestOpset + 5);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"an opset 6 newer than known",
       kMalformed,
       {"operator set 34", "28"},
       [](ModelWriter& w) {
         w.proto().mutable_opset_import(0)->set_version(kNewestOpset + 6);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"an opset below zero",
       kMalformed,
       {"operator set -3 is no version"},
       [](ModelWriter& w) {
         w.proto().mutable_opset_import(0)->set_version(-3);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"an IR version 5 newer than known",
       kOk,
       {},
       [](ModelWriter& w) {
         w.proto().set_ir_version(kNewestIr + 5);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"an IR version 6 newer than known",
       kMalformed,
       {"IR version 20", "14"},
       [](ModelWriter& w) {
         w.proto().set_ir_version(kNewestIr + 6);
         w.node("Relu", {"x"}, {"y"});
       }},
      {"an output that is declared another type than its value has",
       kMalformed,
       {"output 'y'", "declared float32", "'ask' (Shape) gives int64"},
       [](ModelWriter& w) { w.node("Shape", {"x"}, {"y"}).set_name("ask"); }},
      {"an output that is listed twice",
       kMalformed,
       {"output 'y'", "listed twice"},
       [](ModelWriter& w) {
         w.node("Abs", {"x"}, {"y"});
         w.output("y", kOnnxFloat, {"n", 4});
       }},
      {"a size that depends on data", kUnsupported, {"NonZero"}, [](ModelWriter& w) { w.node("NonZero", {"x"}, {"y"}); }},
      {"an operator that nobody knows", kUnsupported, {"Frobnicate"}, [](ModelWriter& w) { w.node("Frobnicate", {"x"}, {"y"}); }},
  };
  return all;
}

TEST_F(CliTest, EachFaultHasItsExitCodeAndItsPlace) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    ModelWriter w = base();
    c.write(w);
    write_file(in("m.onnx"), w.bytes());
    if (c.exit_code != kOk) {
      expect_refusal({in("m.onnx"), "-q"}, c.exit_code, c.words);
      continue;
    }
    const ProgramResult r = expect_success({in("m.onnx"), "-q", "--force"});
    std::filesystem::remove(in("m.ert"));
    const bool warns = r.err.find("is newer than") != std::string::npos;
    EXPECT_EQ(warns, std::string(c.name).find("newer") != std::string::npos) << r.err;
  }
}

// The same file with --const, which takes the bad branch away, is a good one: only what runs is judged by its shapes.
TEST_F(CliTest, AContradictionInABranchThatIsNeverTakenIsNone) {
  ModelWriter w = base();
  w.weights("w", {5, 4});
  number(w, "no", kOnnxBool, 0);
  auto& n = w.node("If", {"no"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto* a = n.add_attribute();
    a->set_name(branch);
    a->set_type(5);
    auto* inner = a->mutable_g()->add_node();
    const bool bad = branch[0] == 't';
    inner->set_op_type(bad ? "MatMul" : "Abs");
    inner->add_input("x");
    if (bad) inner->add_input("w");
    inner->add_output(branch);
    a->mutable_g()->add_output()->set_name(branch);
  }
  write_file(in("m.onnx"), w.bytes());
  expect_success({in("m.onnx"), "-q"});
}

}  // namespace

}  // namespace edgeconv::testing
