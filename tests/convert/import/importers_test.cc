// Old and new forms of operators become the same graph; refusals.
#include <gtest/gtest.h>

#include <functional>

#include "convert/import/registry.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

// Of a model of PyPI's g2p-id-py, whose means over space stand behind Einsums: refused because the rank "is not known when the file is read".
TEST(Importers, RanksAreKnownBehindOperatorsThatTellThem) {
  const auto mean_of = [](const char* op, const std::vector<std::string>& inputs, const std::function<void(pb::NodeProto*)>& attributes = {}) {
    OneNode n(17);
    n.m.input("x", {"1", "8", "16", "16"});
    n.m.input("w", {"8", "4"});
    n.m.ints("k", {3});
    n.m.ints("at", {0, 0});
    n.m.floats("scales", {4}, {1, 1, 2, 2});
    n.m.floats("update", {16, 16}, std::vector<float>(256));
    auto* node = n.m.node(op, inputs, {"e"});
    if (attributes) attributes(node);
    n.m.node("GlobalAveragePool", {"e"}, {"y"});
    n.m.output("y");
    return n.kinds();
  };
  EXPECT_FALSE(mean_of("Einsum", {"x", "w"}, [](auto* n) { set_text(n, "equation", "bchw, cd -> bdhw"); }).empty());
  EXPECT_FALSE(mean_of("Resize", {"x", "", "scales"}).empty());
  EXPECT_FALSE(mean_of("TopK", {"x", "k"}).empty());
  EXPECT_FALSE(mean_of("ScatterND", {"x", "at", "update"}).empty());
}

TEST(Importers, ListIsSortedAndFindable) {
  EXPECT_GE(importers().size(), 130u);
  for (const ImporterDef& i : importers()) EXPECT_EQ(find_importer(i.domain, i.op), &i);
  EXPECT_EQ(find_importer("", "NonZero"), nullptr);
  EXPECT_EQ(find_importer("my.ops", "Relu"), nullptr);
}

// That every importer has a row is checked when registry.cc is compiled.
TEST(Importers, RowsOfRunListAreFoundByOperator) {
  ASSERT_NE(find_run("", "Xor"), nullptr);
  EXPECT_EQ(find_run("", "Xor")->types, "b");
  EXPECT_EQ(find_run("", "Shape")->how, RunsAs::kFolded);
  EXPECT_EQ(find_run("com.microsoft", "Gelu")->how, RunsAs::kFused);
  EXPECT_EQ(find_run("my.ops", "Relu"), nullptr);
}

TEST(Importers, ReduceAxesFromAttributeAndInput) {
  OneNode old(13), fresh(18);
  for (OneNode* n : {&old, &fresh}) {
    n->m.input("x", {"2", "3"});
    n->m.output("y");
  }
  set_ints(old.m.node("ReduceMean", {"x"}, {"y"}), "axes", {-1});
  fresh.m.ints("axes", {-1});
  fresh.m.node("ReduceMean", {"x", "axes"}, {"y"});
  for (OneNode* n : {&old, &fresh}) {
    EXPECT_EQ(n->kinds(), Kinds{"Reduce"});
    const auto& a = n->imported.graph.nodes[0].as<ReduceAttrs>();
    EXPECT_EQ(a.axes, std::vector<int64_t>{-1});
    EXPECT_EQ(a.kind, ert::params::reduce::kMean);
    EXPECT_EQ(n->imported.graph.nodes[0].inputs.size(), 1u);
  }
}

TEST(Importers, SqueezeAxesFromAttributeAndInput) {
  OneNode old(11), fresh(13);
  for (OneNode* n : {&old, &fresh}) {
    n->m.input("x", {"2", "1"});
    n->m.output("y");
  }
  set_ints(old.m.node("Squeeze", {"x"}, {"y"}), "axes", {1});
  fresh.m.ints("axes", {1});
  fresh.m.node("Squeeze", {"x", "axes"}, {"y"});
  for (OneNode* n : {&old, &fresh}) {
    EXPECT_EQ(n->kinds(), Kinds{"Squeeze"});
    EXPECT_EQ(n->imported.graph.nodes[0].as<AxesAttrs>().axes, std::vector<int64_t>{1});
  }
}

TEST(Importers, ANormOverNoAxesIsTheMagnitude) {
  OneNode n(18);
  n.m.input("x", {"2"});
  n.m.output("y");
  set_int(n.m.node("ReduceL2", {"x"}, {"y"}), "noop_with_empty_axes", 1);
  EXPECT_EQ(n.kinds(), Kinds{"Unary"});
}

TEST(Importers, ClipLimits) {
  OneNode old(10), fresh(11), open(11);
  for (OneNode* n : {&old, &fresh, &open}) {
    n->m.input("x", {"2"});
    n->m.output("y");
  }
  set_float(old.m.node("Clip", {"x"}, {"y"}), "max", 6);
  EXPECT_EQ(old.kinds(), Kinds{"Binary"});
  EXPECT_EQ(old.imported.graph.nodes[0].as<BinaryAttrs>().kind, ert::params::binary::kMin);
  fresh.m.floats("low", {}, {0});
  fresh.m.floats("high", {}, {6});
  fresh.m.node("Clip", {"x", "low", "high"}, {"y"});
  EXPECT_EQ(fresh.kinds(), (Kinds{"Binary", "Binary"}));
  open.m.node("Clip", {"x", ""}, {"y"});
  EXPECT_EQ(open.kinds(), Kinds{"Identity"});
}

TEST(Importers, ClipOfIntegersTakesFloatLimits) {
  OneNode n(11);
  n.m.input("x", {"2"});
  n.m.output("y");
  n.m.floats("low", {}, {0});
  set_int(n.m.node("Cast", {"x"}, {"whole"}), "to", 7);
  n.m.node("Clip", {"whole", "low"}, {"y"});
  EXPECT_EQ(n.kinds(), (Kinds{"Cast", "Cast", "Binary"}));
}

TEST(Importers, SoftmaxBelow13FlattensUnlessTheAxisIsLast) {
  const auto kinds = [](int opset, std::optional<int64_t> axis, const std::vector<std::string>& dims) {
    OneNode n(opset);
    n.m.input("x", dims);
    n.m.output("y");
    auto* node = n.m.node("Softmax", {"x"}, {"y"});
    if (axis) set_int(node, "axis", *axis);
    return n.kinds();
  };
  EXPECT_EQ(kinds(11, 2, {"2", "3", "4"}), Kinds{"Softmax"});
  EXPECT_EQ(kinds(11, std::nullopt, {"2", "3"}), Kinds{"Softmax"});
  EXPECT_EQ(kinds(11, std::nullopt, {"2", "3", "4"}), (Kinds{"Flatten", "Softmax", "Shape", "Reshape"}));
  EXPECT_EQ(kinds(13, 1, {"2", "3", "4"}), Kinds{"Softmax"});
}

TEST(Importers, SliceAttributesBecomeInputs) {
  OneNode n(9);
  n.m.input("x", {"8", "8"});
  n.m.output("y");
  auto* node = n.m.node("Slice", {"x"}, {"y"});
  set_ints(node, "starts", {1});
  set_ints(node, "ends", {INT64_MAX});
  set_ints(node, "axes", {1});
  EXPECT_EQ(n.kinds(), Kinds{"Slice"});
  const Node& s = n.imported.graph.nodes[0];
  ASSERT_EQ(s.inputs.size(), 4u);
  EXPECT_EQ(n.imported.graph.value(s.inputs[2]).constant->to_int64(), std::vector<int64_t>{INT64_MAX});
}

TEST(Importers, GemmBecomesMatMul) {
  OneNode n(13);
  n.m.input("x", {"2", "3"});
  n.m.floats("w", {4, 3}, std::vector<float>(12));
  n.m.floats("b", {4}, std::vector<float>(4));
  auto* node = n.m.node("Gemm", {"x", "w", "b"}, {"y"});
  set_int(node, "transB", 1);
  set_float(node, "alpha", 0.5f);
  n.m.output("y");
  EXPECT_EQ(n.kinds(), (Kinds{"Transpose", "MatMul", "Binary", "Binary"}));
  EXPECT_EQ(n.imported.graph.value(n.imported.graph.outputs[0]).name, "y");
}

TEST(Importers, SplitForms) {
  OneNode n(18);
  n.m.input("x", {"7"});
  auto* node = n.m.node("Split", {"x"}, {"a", "b"});
  set_int(node, "num_outputs", 2);
  n.m.output("a");
  n.m.output("b");
  EXPECT_EQ(n.kinds(), Kinds{"Split"});
  EXPECT_EQ(n.imported.graph.nodes[0].as<SplitAttrs>().num_outputs, 2);
  set_ints(node, "split", {3, 4, 5});
  EXPECT_EQ(import_code(n.m), 3);
}

TEST(Importers, ConstantForms) {
  OneNode n(13);
  n.m.input("x", {"2"});
  set_int(n.m.node("Constant", {}, {"i"}), "value_int", 7);
  set_ints(n.m.node("Constant", {}, {"is"}), "value_ints", {1, 2});
  set_float(n.m.node("Constant", {}, {"f"}), "value_float", 0.5f);
  n.m.node("Add", {"x", "f"}, {"y"});
  n.m.output("y");
  EXPECT_EQ(n.kinds(), Kinds{"Binary"});
  set_text(n.m.node("Constant", {}, {"s"}), "value_string", "text");
  EXPECT_EQ(import_code(n.m), 4);
}

TEST(Importers, DropoutMaskIsANumberBeforeOpset10) {
  for (const int opset : {9, 10}) {
    OneNode n(opset);
    n.m.input("x", {"2"});
    n.m.node("Dropout", {"x"}, {"y", "mask"});
    n.m.output("mask");
    EXPECT_EQ(import_code(n.m), opset < 10 ? 4 : 0) << opset;
  }
}

TEST(Importers, TriluKeepsTheUpperTriangleUnlessToldOtherwise) {
  for (const bool upper : {true, false}) {
    OneNode n(14);
    n.m.input("x", {"3", "3"});
    n.m.output("y");
    auto* node = n.m.node("Trilu", {"x"}, {"y"});
    if (!upper) set_int(node, "upper", 0);
    EXPECT_EQ(n.kinds(), Kinds{"Trilu"});
    EXPECT_EQ(n.imported.graph.nodes[0].as<TriluAttrs>().upper, upper);
    EXPECT_EQ(n.imported.graph.nodes[0].inputs.size(), 1u);
  }
}

TEST(Importers, MalformedAttributes) {
  const auto code = [](const char* op, const char* attribute_name, const std::vector<int64_t>& v) {
    ModelBuilder m;
    m.input("x", {"1", "2", "8", "8"});
    m.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    set_ints(m.node(op, {"x", "w"}, {"y"}), attribute_name, v);
    m.output("y");
    return import_code(m);
  };
  EXPECT_EQ(code("Conv", "strides", {0, 1}), 3);
  EXPECT_EQ(code("Conv", "pads", {-1, 0, 0, 0}), 3);
  EXPECT_EQ(code("Conv", "strides", {1, 1}), 0);
  ModelBuilder m;
  m.input("x", {"2", "3"});
  set_ints(m.node("Transpose", {"x"}, {"y"}), "perm", {0, 0});
  m.output("y");
  EXPECT_EQ(import_code(m), 3);
}

}  // namespace
}  // namespace edgeconv
