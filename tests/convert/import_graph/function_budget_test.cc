// Functions are expanded with a budget that follows from the file: 20,000 nodes, and 200 for each node of the file. Nested ones double with every level,
// so that 1.1 kB made as many nodes as any file may have, in ten seconds.
#include <gtest/gtest.h>

#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

pb::FunctionProto* function(ModelBuilder& m, const std::string& name) {
  auto* f = m.model.add_functions();
  f->set_name(name);
  f->set_domain("f");
  f->add_input("x");
  f->add_output("y");
  return f;
}

void call(ModelBuilder& m, const std::string& name) {
  m.opset_import("f", 1);
  m.input("x", {"4"});
  m.node(name, {"x"}, {"y"}, "f");
  m.output("y");
}

// Each function calls the next one twice, the last one Relu: 2 ^ (levels + 1) - 2 nodes from 2 * levels + 1.
ModelBuilder doubling(int levels) {
  ModelBuilder m;
  for (int level = 0; level < levels; ++level) {
    auto* f = function(m, "F" + std::to_string(level));
    const bool last = level + 1 == levels;
    const std::string next = last ? "Relu" : "F" + std::to_string(level + 1), domain = last ? "" : "f";
    ModelBuilder::fill(f->add_node(), next, {"x"}, {"t"}, domain);
    ModelBuilder::fill(f->add_node(), next, {"t"}, {"y"}, domain);
  }
  call(m, "F0");
  return m;
}

TEST(FunctionBudget, NestedFunctionsExpandTo20000NodesAnd200ForEachOfTheFile) {
  Diagnostics d;
  const ImportedModel within = doubling(13).import(d);  // 16,382 nodes
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(within.graph.nodes.size(), 8192u);  // those that are no calls
  std::string message;
  EXPECT_EQ(import_code(doubling(14), &message), 5);  // 32,766 nodes: a fifteenth of what a file may have
  EXPECT_NE(message.find("expand to more than 25800 nodes"), std::string::npos) << message;
}

// 1.1 kB. What was copied is a part of the budget's nodes, whatever the depth: the same refusal for 16 levels and 40.
TEST(FunctionBudget, TheRefusalOfDeepOnesCostsNoMore) {
  ASSERT_LT(doubling(16).model.ByteSizeLong(), 1400u);
  std::string sixteen, forty;
  EXPECT_EQ(import_code(doubling(16), &sixteen), 5);
  EXPECT_EQ(import_code(doubling(40), &forty), 5);
  EXPECT_NE(sixteen.find("expand to more than 26600 nodes"), std::string::npos) << sixteen;
  EXPECT_NE(forty.find("expand to more than 36200 nodes"), std::string::npos) << forty;
}

// A function of 300 nodes that 150 layers call: 45,000 nodes from 450.
TEST(FunctionBudget, FunctionsOfManyLayersAreWithinIt) {
  ModelBuilder m;
  auto* f = function(m, "Layer");
  for (int i = 0; i < 300; ++i) {
    const std::string from = i == 0 ? "x" : "t" + std::to_string(i - 1), to = i == 299 ? "y" : "t" + std::to_string(i);
    ModelBuilder::fill(f->add_node(), "Relu", {from}, {to}, "");
  }
  m.opset_import("f", 1);
  m.input("x", {"4"});
  for (int i = 0; i < 150; ++i)
    m.node("Layer", {i == 0 ? "x" : "h" + std::to_string(i - 1)}, {i == 149 ? "y" : "h" + std::to_string(i)}, "f");
  m.output("y");
  Diagnostics d;
  EXPECT_EQ(m.import(d).graph.nodes.size(), 45000u);
  EXPECT_TRUE(d.ok());
}

}  // namespace
}  // namespace edgeconv
