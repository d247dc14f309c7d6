// Attention and RotaryEmbedding of opset 23 and later.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/import/registry.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

TEST(AttentionImporters, AttentionAndRotaryDecompose) {
  OneNode n(23);
  n.m.input("q", {"batch", "s", "8"});
  n.m.input("m", {"batch", "1", "1", "s"}, 9);
  auto* node = n.m.node("Attention", {"q", "q", "q", "m"}, {"y"});
  set_int(node, "q_num_heads", 2);
  set_int(node, "kv_num_heads", 2);
  n.m.output("y");
  const Kinds kinds = n.kinds();
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "MatMul"), 2);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "Softmax"), 1);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "Where"), 1);
  ASSERT_TRUE(n.imported.graph.sort());
  // A cache that the application fills, and past keys, are two forms of one thing.
  n.m.ints("valid", {1});
  n.m.input("past", {"batch", "2", "p", "4"});
  n.m.node("Attention", {"q", "q", "q", "", "past", "past", "valid"}, {"z"});
  EXPECT_EQ(import_code(n.m), 3);
}

TEST(AttentionImporters, AttentionGivesItsScoresAtEveryStage) {
  const char* const producers[] = {"Binary", "Binary", "Binary", "Softmax"};
  for (int stage = 0; stage < 4; ++stage) {
    OneNode n(23);
    n.m.input("q", {"batch", "2", "s", "4"});
    n.m.input("m", {"s", "s"}, 9);
    auto* node = n.m.node("Attention", {"q", "q", "q", "m"}, {"y", "", "", "scores"});
    set_int(node, "qk_matmul_output_mode", stage);
    n.m.output("y");
    n.m.output("scores");
    n.kinds();
    const Graph& g = n.imported.graph;
    const Node* p = g.producer(g.outputs[1]);
    if (p->kind == OpKind::kIdentity) p = g.producer(p->in(0));
    EXPECT_EQ(op_name(p->kind), producers[stage]) << stage;
    if (stage == 3) {
      set_int(n.m.node("Attention", {"q", "q", "q"}, {"z"}), "qk_matmul_output_mode", 4);
      EXPECT_EQ(import_code(n.m), 3);
    }
  }
}

// With as many positions before query 0 as there are keys in a cache, which encoders do not have: query i sees key j <= i, also
// where there are more keys than queries.
TEST(AttentionImporters, CausalAttentionStartsAtTheFirstKey) {
  const auto outputs = [](const char* attribute_name, int64_t value) {
    OneNode n(25);
    n.m.input("q", {"1", "1", "2", "1"});
    n.m.input("k", {"1", "1", "3", "1"});
    n.m.input("v", {"1", "1", "3", "1"});
    set_int(n.m.node("Attention", {"q", "k", "v"}, {"y"}), attribute_name, value);
    n.m.output("y");
    n.kinds();
    Diagnostics d;
    infer(n.imported.graph, d);
    const Tensor zeros = Tensor::of<float>(DType::kFloat, {1, 1, 2, 1}, {0, 0});
    return interpret(n.imported.graph, {zeros, Tensor::of<float>(DType::kFloat, {1, 1, 3, 1}, {0, 0, 0}),
                                        Tensor::of<float>(DType::kFloat, {1, 1, 3, 1}, {1, 3, 8})})[0]
        .to_float();
  };
  EXPECT_EQ(outputs("is_causal", 1), (std::vector<float>{1, 2}));
  EXPECT_EQ(outputs("left_window_size", 0), (std::vector<float>{4, 5.5f}));
  EXPECT_EQ(outputs("right_window_size", 1), (std::vector<float>{2, 4}));
}

// Groups of queries share a head of keys; operands of rank 4 need no attributes to say so.
TEST(AttentionImporters, GroupedQueriesOfRank4) {
  OneNode n(23);
  n.m.input("q", {"1", "4", "2", "8"});
  n.m.input("k", {"1", "2", "3", "8"});
  n.m.node("Attention", {"q", "k", "k"}, {"y"});
  n.m.output("y");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(shape_str(*n.imported.graph.value(n.imported.graph.outputs[0]).shape), "[1, 4, 2, 8]");
}

}  // namespace
}  // namespace edgeconv
