// Branches of If and sides of Where that no input reaches are named; masks are not.
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "tests/cli/calib_fixture.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

void add_number(ModelWriter& w, const std::string& name, float value) {
  auto& t = *w.proto().mutable_graph()->add_initializer();
  t.set_name(name), t.set_data_type(kOnnxFloat), t.add_float_data(value);
}

class UntakenBranchesTest : public CliTest {
 protected:
  std::string warnings(const ModelWriter& w, const std::vector<std::string>& options = {}) {
    write_file(in("m.onnx"), w.bytes());
    std::vector<std::string> all = {in("m.onnx"), "-o", in("m.ert"), "--force", "--json"};
    all.insert(all.end(), options.begin(), options.end());
    return parse_json(expect_success(all).out).at("warnings").dump();
  }
};

// y = max(x^2) > most ? x A : x B, row by row. Made-up inputs are not that large, and A was not measured.
TEST_F(UntakenBranchesTest, ASideOfWhereThatNoInputTakesIsNamed) {
  for (const float most : {1e6f, 2.0f}) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"batch", 8});
    w.output("y", kOnnxFloat, {"batch", 8});
    w.weights("a", {8, 8}), w.weights("b", {8, 8});
    add_number(w, "most", most);
    w.node("MatMul", {"x", "a"}, {"xa"});
    w.node("MatMul", {"x", "b"}, {"xb"});
    w.node("Mul", {"x", "x"}, {"squares"});
    ints_attribute(w.node("ReduceMax", {"squares"}, {"largest"}), "axes", {1});
    w.node("Greater", {"largest", "most"}, {"large"});
    w.node("Where", {"large", "xa", "xb"}, {"y"}).set_name("choice");
    const bool never = most > 100;
    EXPECT_EQ(warnings(w).find("side X of Where 'choice' is never taken on made-up inputs") != std::string::npos, never) << most;
    if (!never) continue;
    write_file(in("loud.npz"), archive({{"x.npy", npy(samples({16, 8}, 1e5f))}}, false));
    EXPECT_NE(warnings(w, {"--calib", in("loud.npz")}).find("side Y of Where 'choice' is never taken on recorded"), std::string::npos);
  }
}

TEST_F(UntakenBranchesTest, ABranchOfIfThatNoInputTakesIsNamed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 8});
  w.output("y", kOnnxFloat, {1, 8});
  w.weights("a", {8, 8}), w.weights("b", {8, 8});
  add_number(w, "most", 1e6f);
  auto& largest = w.node("ReduceMax", {"x"}, {"largest"});
  int_attribute(largest, "keepdims", 0);
  w.node("Greater", {"largest", "most"}, {"large"});
  auto& choice = w.node("If", {"large"}, {"y"});
  choice.set_name("choice");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& a = *choice.add_attribute();
    a.set_name(name), a.set_type(5);
    auto& n = *a.mutable_g()->add_node();
    n.set_op_type("MatMul"), n.add_input("x"), n.add_input(name[0] == 't' ? "a" : "b"), n.add_output(name);
    a.mutable_g()->add_output()->set_name(name);
  }
  EXPECT_NE(warnings(w).find("branch 'then' of 'choice' is never taken"), std::string::npos);
}

// What a mask or a guard puts in is a constant, whether it comes to it or not.
TEST_F(UntakenBranchesTest, MasksAreNotNamed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 4, 8});
  w.input("mask", kOnnxBool, {1, 4, 1});
  w.output("y", kOnnxFloat, {1, 4, 8});
  w.weights("a", {8, 8});
  add_number(w, "lowest", -1e9f), add_number(w, "zero", 0);
  w.node("MatMul", {"x", "a"}, {"xa"});
  w.node("Where", {"mask", "xa", "lowest"}, {"scores"});
  w.node("Softmax", {"scores"}, {"p"});
  w.node("IsNaN", {"p"}, {"bad"});
  w.node("Shape", {"p"}, {"shape"});
  w.node("Expand", {"zero", "shape"}, {"zeros"});
  w.node("Where", {"bad", "zeros", "p"}, {"y"});
  EXPECT_EQ(warnings(w).find("never taken"), std::string::npos) << warnings(w);
}

}  // namespace

}  // namespace edgeconv::testing
