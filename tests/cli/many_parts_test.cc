// Files of a few hundred kB with thousands of problems, inputs or nodes of one kind: each takes time by their number. Where they are refused,
// so do the list, its hints and the search for advice.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr int kNodes = 4000;

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

ModelWriter with_input(const std::vector<OnnxDim>& dims) {
  ModelWriter w;
  w.input("x", kOnnxFloat, dims);
  for (int i = 0; i < 3; ++i) w.output(numbered("y", i), kOnnxFloat, {"n", 4});
  return w;
}

void add_chain(ModelWriter& w, const char* op, const std::string& from) {
  for (int i = 0; i < kNodes; ++i) w.node(op, {i == 0 ? from : numbered("c", i - 1)}, {numbered("c", i)});
}

void add_branch(pb::NodeProto& choice, const char* attribute, const char* op, const std::string& result) {
  auto* a = choice.add_attribute();
  a->set_name(attribute);
  a->set_type(5);  // GRAPH
  auto* n = a->mutable_g()->add_node();
  n->set_op_type(op), n->add_input("x"), n->add_output(result);
  a->mutable_g()->add_output()->set_name(result);
}

class ManyPartsTest : public CliTest {
 protected:
  // Measured beside a model of one node.
  void expect_quick(const ModelWriter& w, int exit_code, const std::vector<std::string>& told) {
    ModelWriter one;
    one.input("x", kOnnxFloat, {"n", 4});
    one.output("y", kOnnxFloat, {"n", 4});
    one.node("Relu", {"x"}, {"y"});
    write_file(in("one.onnx"), one.bytes());
    write_file(in("m.onnx"), w.bytes());
    ASSERT_LT(w.bytes().size(), size_t{1} << 20);
    const double least = expect_success({in("one.onnx"), "-q", "-o", in("one.ert")}).cpu_seconds;
    const ProgramResult r = edgeconv({in("m.onnx"), "-q", "-o", in("m.ert")}), seen = edgeconv({"inspect", in("m.onnx")});
    EXPECT_EQ(r.exit_code, exit_code) << r.err.substr(0, 1000);
    for (const std::string& text : told) EXPECT_NE(r.err.find(text), std::string::npos) << text << "\n" << r.err.substr(0, 1000);
    EXPECT_LE(r.cpu_seconds, 40 * std::max(least, 0.025));
    EXPECT_LE(seen.cpu_seconds, 40 * std::max(least, 0.025));
  }
};

// Each looked through the whole chain for a problem that it follows from, and its hint through the names of all nodes: 5 s.
TEST_F(ManyPartsTest, PoolsBehindALongChain) {
  ModelWriter w = with_input({});
  w.proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  add_chain(w, "Relu", "x");
  for (int i = 0; i < kNodes; ++i) w.node("GlobalAveragePool", {numbered("c", kNodes - 1)}, {numbered("y", i)});
  expect_quick(w, kUnsupported, {"GlobalAveragePool(", "x4000", "the rank of its input is not known"});
}

// Each looked for the inputs that it depends on: 10 s.
TEST_F(ManyPartsTest, SizesThatDependOnALongChain) {
  ModelWriter w = with_input({"n", 4});
  w.input("sizes", kOnnxInt64, {3});
  add_chain(w, "Abs", "sizes");
  for (int i = 0; i < kNodes; ++i) w.node("Reshape", {"x", numbered("c", kNodes - 1)}, {numbered("y", i)});
  expect_quick(w, kUnsupported, {"Reshape", "x4000", "pin what it depends on: --const sizes=FILE.npy"});
}

// Hints of all of them went to each of them, for it has the same name: more than a minute.
TEST_F(ManyPartsTest, NodesOfOneName) {
  ModelWriter w = with_input({"n", 4});
  w.input("which", kOnnxInt64, {});
  w.proto().mutable_graph()->mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < kNodes / 2; ++i) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name(numbered("k", i)), t->set_data_type(kOnnxInt64), t->add_int64_data(i);
    w.node("Equal", {"which", numbered("k", i)}, {numbered("is", i)});
    pb::NodeProto& choice = w.node("If", {numbered("is", i)}, {numbered("y", i)});
    choice.set_name("same");
    add_branch(choice, "then_branch", "Relu", "a");
    add_branch(choice, "else_branch", "NonZero", "b");
  }
  expect_quick(w, kUnsupported, {"If", "x2000", "--const which=0"});
}

TEST_F(ManyPartsTest, OperatorsThatNobodyKnows) {
  ModelWriter w = with_input({"n", 4});
  for (int i = 0; i < kNodes; ++i) w.node(numbered("Secret", i), {"x"}, {numbered("y", i)}).set_name(numbered("at (torch: layer", i) + ")");
  expect_quick(w, kUnsupported, {"4000 operators are not supported (4000 nodes)", "Secret0(", "Secret3999("});
}

// Dims of each were looked at beside all sizes: 6 s until there were too many.
TEST_F(ManyPartsTest, InputsWithDimsOfTheirOwn) {
  ModelWriter w;
  std::vector<std::string> names;
  for (int i = 0; i < kNodes; ++i) names.push_back(numbered("d", i));
  for (int i = 0; i < kNodes; ++i) {
    w.input(numbered("x", i), kOnnxFloat, {names[static_cast<size_t>(i)].c_str(), 4});
    w.output(numbered("y", i), kOnnxFloat, {names[static_cast<size_t>(i)].c_str(), 4});
    w.node("Relu", {numbered("x", i)}, {numbered("y", i)});
  }
  expect_quick(w, kLimit, {"the model has 4000 inputs, the runtime takes 256"});
}

// All readers were looked through for each view that went.
TEST_F(ManyPartsTest, ViewsThatUndoEachOther) {
  ModelWriter w = with_input({"n", 4});
  w.proto().mutable_graph()->clear_output();
  w.output("y", kOnnxFloat, {"n", 4});
  std::string last = "x";
  for (int i = 0; i < kNodes; ++i) {
    for (const char* half : {"there", "back"}) {
      ints_attribute(w.node("Transpose", {last}, {numbered(half, i)}), "perm", {1, 0});
      last = numbered(half, i);
    }
    w.node("Relu", {last}, {numbered("r", i)});
    last = numbered("r", i);
  }
  w.node("Neg", {last}, {"y"});
  expect_quick(w, 0, {});
}

// What they compute was tried as an activation, 16 nodes back from each, and readers were listed anew for each: 10 s.
TEST_F(ManyPartsTest, FactorsAndTermsInARow) {
  ModelWriter w = with_input({"n", 4});
  w.proto().mutable_graph()->clear_output();
  w.output("y", kOnnxFloat, {"n", 4});
  w.weights("w", {1});
  std::string last = "x";
  for (int i = 0; i < kNodes; ++i) {
    w.node(i % 2 == 0 ? "Mul" : "Add", {last, "w"}, {numbered("a", i)});
    last = numbered("a", i);
  }
  w.node("Neg", {last}, {"y"});
  expect_quick(w, 0, {});
}

// Readers were listed anew for each factor that became part of its weights.
TEST_F(ManyPartsTest, DepthwiseConvolutionsWithFactors) {
  ModelWriter w = with_input({"n", 4, 2, 2});
  w.proto().mutable_graph()->clear_output();
  w.output("y", kOnnxFloat, {"n", 4, 2, 2});
  w.weights("w", {4, 1, 1, 1}), w.weights("factor", {4, 1, 1});
  std::string last = "x";
  for (int i = 0; i < kNodes / 4; ++i) {
    int_attribute(w.node("Conv", {last, "w"}, {numbered("c", i)}), "group", 4);
    w.node("Mul", {numbered("c", i), "factor"}, {numbered("m", i)});
    last = numbered("m", i);
  }
  w.node("Add", {last, "x"}, {"y"});
  expect_quick(w, 0, {});
}

}  // namespace

}  // namespace edgeconv::testing
