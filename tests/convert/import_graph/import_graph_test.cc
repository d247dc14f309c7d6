// How the graph of a file is put together: inputs, dims, order, functions, bodies, aliases, and what is malformed.
#include <gtest/gtest.h>

#include "convert/import/registry.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

TEST(ImportGraph, NamesDims) {
  ModelBuilder m;
  m.input("x", {"batch", "2", "", "batch*3", "odd name"});
  m.node("Relu", {"x"}, {"y"});
  m.output("y");
  Diagnostics d;
  const ImportedModel r = m.import(d);
  ASSERT_TRUE(d.ok());
  const Shape& s = *r.graph.value(r.graph.inputs[0]).shape;
  EXPECT_EQ(shape_str(s), "[batch, 2, x_2, 3*batch, odd name]");
  EXPECT_EQ(r.info.dims, (std::vector<std::string>{"batch", "x_2", "odd name"}));
  EXPECT_EQ(r.info.node_count, 1);
  EXPECT_EQ(r.info.sha256.size(), 64u);
}

TEST(ImportGraph, InitializersListedAsInputsAreConstants) {
  ModelBuilder m;
  m.model.set_ir_version(3);
  m.input("x", {"4"});
  m.input("w", {"4"});
  m.floats("w", {4}, {1, 2, 3, 4});
  m.node("Add", {"w", "x"}, {"y"});
  m.output("y");
  Diagnostics d;
  const ImportedModel r = m.import(d);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(r.graph.inputs.size(), 1u);
  EXPECT_EQ(r.info.parameter_count, 4);
}

TEST(ImportGraph, SortsNodesAndNamesAliasedOutputs) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("Relu", {"b"}, {"c"});
  m.node("Exp", {"x"}, {"b"});
  m.node("Dropout", {"x"}, {"z"});
  for (const char* o : {"c", "z", "x"}) m.output(o);
  Diagnostics d;
  ImportedModel r = m.import(d);
  ASSERT_TRUE(d.ok());
  ASSERT_TRUE(r.graph.sort());
  EXPECT_EQ(r.info.output_names, (std::vector<std::string>{"c", "z", "x"}));
  EXPECT_NE(r.graph.outputs[2], r.graph.inputs[0]);
}

// ONNX Runtime and onnx.checker take such files: a body's names are its own.
TEST(ImportGraph, ABranchMayCallItsValuesAsTheGraphAroundIt) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.input("which", {}, 9);
  pb::NodeProto* choice = m.node("If", {"which"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto* body = attribute(choice, branch, 5)->mutable_g();
    ModelBuilder::fill(body->add_node(), "Relu", {"x"}, {"later"});
    ModelBuilder::fill(body->add_node(), "Neg", {"later"}, {"y"});
    body->add_output()->set_name("y");
  }
  m.node("Exp", {"y"}, {"later"});
  m.output("later");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 0) << message;
}

TEST(ImportGraph, MalformedStructures) {
  const auto model = [] {
    ModelBuilder m;
    m.input("x", {"4"});
    m.output("y");
    return m;
  };
  std::string message;
  ModelBuilder cycle = model();
  cycle.node("Add", {"x", "b"}, {"a"});
  cycle.node("Relu", {"a"}, {"b"});
  cycle.node("Relu", {"b"}, {"y"});
  EXPECT_EQ(import_code(cycle, &message), 3);
  EXPECT_NE(message.find("cycle"), std::string::npos);

  ModelBuilder twice = model();
  twice.node("Relu", {"x"}, {"y"})->set_name("first");
  twice.node("Exp", {"x"}, {"y"})->set_name("again");
  EXPECT_EQ(import_code(twice, &message), 3);
  for (const char* told : {"'first'", "'again'", "'y'"}) EXPECT_NE(message.find(told), std::string::npos) << message;

  ModelBuilder undefined = model();
  undefined.node("Add", {"x", "ghost"}, {"y"});
  EXPECT_EQ(import_code(undefined, &message), 3);
  EXPECT_NE(message.find("ghost"), std::string::npos);

  ModelBuilder dangling = model();
  dangling.node("Relu", {"x"}, {"z"});
  EXPECT_EQ(import_code(dangling), 3);

  ModelBuilder shadow = model();
  shadow.node("Relu", {"x"}, {"x"});
  shadow.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(import_code(shadow), 3);

  ModelBuilder wrong_type = model();
  set_float(wrong_type.node("Softmax", {"x"}, {"y"}), "axis", 1);
  EXPECT_EQ(import_code(wrong_type, &message), 3);
  EXPECT_NE(message.find("'axis' must be an integer"), std::string::npos) << message;
}

TEST(ImportGraph, CollectsAllUnsupportedOperators) {
  ModelBuilder m;
  m.opset_import("my.ops", 1);
  m.input("x", {"4"});
  m.node("NonZero", {"x"}, {"a"});
  m.node("Inverse2", {"x"}, {"b"}, "my.ops");
  m.node("NotAnOperator", {"a"}, {"c"});
  m.node("Add", {"b", "c"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  for (const char* part : {"3 operators", "ai.onnx::NonZero(17)", "torch.where", "my.ops::Inverse2",
                           "custom domain: no definition in the file", "unknown operator: ONNX has none of this name", "1 of 4 nodes"})
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
}

TEST(ImportGraph, AnOperatorOfTensorFlowIsNamedAsOne) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("StatefulPartitionedCall", {"x"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  for (const char* part : {"tf2onnx left one of TensorFlow", "use DepthwiseConv2D"})
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
}

TEST(ImportGraph, AnOperatorOfTensorFlowLiteIsNamedAsOne) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("TFL_UNIDIRECTIONAL_SEQUENCE_LSTM", {"x"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  for (const char* part : {"tf2onnx left one of TensorFlow Lite", "tf2onnx from_keras"})
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
}

// f(x; scale) = g(x) * Constant(scale); g(x) = Relu(x)
ModelBuilder with_functions() {
  ModelBuilder m;
  m.opset_import("my.ops", 1);
  auto* g = m.model.add_functions();
  g->set_name("G");
  g->set_domain("my.ops");
  g->add_input("in");
  g->add_output("out");
  ModelBuilder::fill(g->add_node(), "Relu", {"in"}, {"out"});
  auto* f = m.model.add_functions();
  f->set_name("F");
  f->set_domain("my.ops");
  f->add_input("x");
  f->add_output("y");
  f->add_attribute("scale");
  ModelBuilder::fill(f->add_node(), "G", {"x"}, {"t"}, "my.ops");
  auto* c = ModelBuilder::fill(f->add_node(), "Constant", {}, {"s"});
  attribute(c, "value_float", 1)->set_ref_attr_name("scale");
  ModelBuilder::fill(f->add_node(), "Mul", {"t", "s"}, {"y"});
  m.input("x", {"4"});
  set_float(m.node("F", {"x"}, {"a"}, "my.ops"), "scale", 2);
  set_float(m.node("F", {"a"}, {"y"}, "my.ops"), "scale", 3);
  m.output("y");
  return m;
}

TEST(ImportGraph, InlinesNestedFunctionsWithAttributes) {
  Diagnostics d;
  const ImportedModel r = with_functions().import(d);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(r.graph.nodes.size(), 4u);  // two times Relu and Mul
  std::vector<float> scales;
  for (const Value& v : r.graph.values)
    if (v.constant) scales.push_back(v.constant->to_float()[0]);
  EXPECT_EQ(scales, (std::vector<float>{2, 3}));
}

TEST(ImportGraph, RefusesRecursiveAndExplodingFunctions) {
  ModelBuilder m = with_functions();
  m.model.mutable_functions(0)->mutable_node(0)->set_op_type("F");
  m.model.mutable_functions(0)->mutable_node(0)->set_domain("my.ops");
  EXPECT_EQ(import_code(m), 3);

  ModelBuilder bomb;
  bomb.opset_import("b", 1);
  for (int level = 0; level < 40; ++level) {
    auto* f = bomb.model.add_functions();
    f->set_name("F" + std::to_string(level));
    f->set_domain("b");
    f->add_input("x");
    f->add_output("y");
    const std::string next = level == 39 ? "Relu" : "F" + std::to_string(level + 1);
    const std::string domain = level == 39 ? "" : "b";
    ModelBuilder::fill(f->add_node(), next, {"x"}, {"t"}, domain);
    ModelBuilder::fill(f->add_node(), next, {"t"}, {"y"}, domain);
  }
  bomb.input("x", {"4"});
  bomb.node("F0", {"x"}, {"y"}, "b");
  bomb.output("y");
  EXPECT_EQ(import_code(bomb), 5);
}

TEST(ImportGraph, BodiesCaptureOuterValues) {
  ModelBuilder m;
  m.input("c", {}, 9);
  m.input("x", {"4"});
  m.input("z", {"4"});
  m.floats("w", {4}, {1, 2, 3, 4});
  auto* n = m.node("If", {"c"}, {"y"});
  auto* then_branch = attribute(n, "then_branch", 5)->mutable_g();
  ModelBuilder::fill(then_branch->add_node(), "Add", {"x", "w"}, {"a"});
  then_branch->add_output()->set_name("a");
  auto* else_branch = attribute(n, "else_branch", 5)->mutable_g();
  ModelBuilder::fill(else_branch->add_node(), "Mul", {"z", "x"}, {"b"});
  else_branch->add_output()->set_name("b");
  m.output("y");
  Diagnostics d;
  const ImportedModel r = m.import(d);
  ASSERT_TRUE(d.ok());
  const Node& node = r.graph.nodes[0];
  ASSERT_EQ(node.inputs.size(), 3u);  // condition, x, z; the constant w is copied into the body
  EXPECT_EQ(r.graph.value(node.inputs[1]).name, "x");
  EXPECT_EQ(r.graph.value(node.inputs[2]).name, "z");
  for (const auto& body : node.as<SubgraphAttrs>().bodies) {
    ASSERT_EQ(body->inputs.size(), 2u);
    EXPECT_EQ(body->value(body->inputs[0]).name, "x");
    EXPECT_EQ(body->outputs.size(), 1u);
  }
}

// Gives m a node that every operator set has, and imports it.
std::vector<std::string> warnings_of_relu(ModelBuilder& m) {
  m.input("x", {"4"});
  m.node("Relu", {"x"}, {"y"});
  m.output("y");
  Diagnostics d;
  m.import(d);
  EXPECT_TRUE(d.ok());
  return d.warnings();
}

TEST(ImportGraph, WarnsAboutNewVersionsAndRefusesAncientOnes) {
  ModelBuilder m(kNewestKnownOpset + 5);
  m.model.set_ir_version(kNewestKnownIrVersion + 5);
  EXPECT_EQ(warnings_of_relu(m).size(), 2u);
  m.model.mutable_opset_import(0)->set_version(3);
  EXPECT_EQ(import_code(m), 4);
  m.model.mutable_opset_import(0)->set_version(kNewestKnownOpset + 6);
  EXPECT_EQ(import_code(m), 3);
  m.model.clear_opset_import();
  EXPECT_EQ(import_code(m), 3);
}

// Versions of com.microsoft and of ai.onnx.ml that are none were taken without a word.
TEST(ImportGraph, VersionsOfOtherDomains) {
  ModelBuilder m;
  m.opset_import("com.microsoft", 6);
  m.opset_import("ai.onnx.ml", 5);
  m.opset_import("my.ops", 50);
  const std::vector<std::string> warnings = warnings_of_relu(m);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("version 6 of the operator set 'com.microsoft', newer than 1"), std::string::npos) << warnings[0];
  for (const auto& [import, version] : {std::pair(1, 7), {1, 0}, {2, 11}, {3, -3}}) {
    ModelBuilder bad = m;
    bad.graph = bad.model.mutable_graph();
    bad.model.mutable_opset_import(import)->set_version(version);
    EXPECT_EQ(import_code(bad), 3) << import << " " << version;
  }
}

TEST(ImportGraph, SanitisesNames) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("Bad\x1b[2J", {"x"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace edgeconv
