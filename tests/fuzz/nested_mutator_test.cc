// Models that the mutator nests have to be good ones often enough: what is refused at its first node shows nothing of what lies behind.
#include "tests/fuzz/nested_mutator.h"

#include <gtest/gtest.h>

#include "convert/import_graph/import_model.h"
#include "convert/ir/diagnostics.h"
#include "tests/cli/malformed_corpus.h"

namespace ert::fuzz {
namespace {

namespace pb = edgeconv::pb;

bool imports(const pb::ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  try {
    edgeconv::Diagnostics d;
    edgeconv::import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "/nowhere/nested.onnx", d);
    d.check();
    return true;
  } catch (const edgeconv::FatalError&) {
    return false;
  }
}

bool has_branches(const pb::ModelProto& model) {
  for (const pb::NodeProto& n : model.graph().node())
    if (n.op_type() == "If" || n.op_type() == "Loop" || n.op_type() == "Scan") return true;
  return false;
}

TEST(NestedMutator, MakesModelsThatImport) {
  edgeconv::testing::ModelWriter w = edgeconv::testing::corpus_model();
  w.weights("w", {4, 4});
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Relu", {"h"}, {"y"});
  int functions = 0, branches = 0, both = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    edgeconv::testing::Random random(seed);
    pb::ModelProto model = w.proto();
    for (uint64_t changes = 1 + seed % 3; changes > 0; --changes) mutate_nested(&model, random);
    if (!imports(model)) continue;
    functions += model.functions_size() > 0;
    branches += has_branches(model);
    both += model.functions_size() > 0 && has_branches(model);
  }
  std::printf("imported: %d with functions, %d with branches, %d with both\n", functions, branches, both);
  EXPECT_GE(functions, 40);
  EXPECT_GE(branches, 40);
  EXPECT_GE(both, 5);
}

}  // namespace
}  // namespace ert::fuzz
