// Every fixture imports, and those that cannot are refused for the operators that they are known to have.
#include <gtest/gtest.h>

#include "convert/import_graph/import_model.h"
#include "tests/convert/fixtures.h"

namespace edgeconv {
namespace {

TEST(Fixtures, AreThere) { EXPECT_GE(fixture_names().size(), 20u) << fixtures_dir(); }

TEST(Fixtures, AllImport) {
  int imported = 0;
  for (const std::string& name : fixture_names()) {
    if (name == "custom_op_no_body") continue;
    Diagnostics d;
    ImportedModel m = import_model(fixture_model(name), d);
    try {
      d.check();
    } catch (const FatalError& e) {
      ADD_FAILURE() << name << ": " << e.what();
      continue;
    }
    EXPECT_TRUE(m.graph.sort()) << name;
    EXPECT_FALSE(m.graph.inputs.empty()) << name;
    EXPECT_FALSE(m.graph.outputs.empty()) << name;
    for (const Node& n : m.graph.nodes)
      for (ValueId v : n.inputs)
        if (v != kNone) {
          const Value& value = m.graph.value(v);
          const bool is_input = std::find(m.graph.inputs.begin(), m.graph.inputs.end(), v) != m.graph.inputs.end();
          EXPECT_TRUE(value.is_constant() || value.producer != kNone || is_input)
              << name << ": " << value.name << " comes from nowhere";
        }
    ++imported;
  }
  EXPECT_GE(imported, 20);
}

TEST(Fixtures, CustomOperatorWithoutBodyIsRefused) {
  Diagnostics d;
  import_model(fixture_model("custom_op_no_body"), d);
  ASSERT_EQ(d.problems().size(), 1u);
  EXPECT_EQ(d.problems()[0].op, "my.ops::Inverse2(1)");
  EXPECT_EQ(d.problems()[0].reason, "custom domain: no definition in the file");
}

TEST(Fixtures, ExternalDataIsDescribed) {
  Diagnostics d;
  const ImportedModel m = import_model(fixture_model("bert_qa_ts14__external_one"), d);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(m.info.external_files, std::vector<std::string>{"model.onnx.data"});
  EXPECT_EQ(m.info.dims, (std::vector<std::string>{"batch", "sequence"}));
  EXPECT_EQ(m.info.opsets.at(""), 14);
}

}  // namespace
}  // namespace edgeconv
