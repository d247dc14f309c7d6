// Sequences whose members are known by position.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/import/registry.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

// x.chunk(..)[i] and x.split(..)[i] of TorchScript: a sequence that is indexed by a constant.
TEST(SequenceImporters, MembersOfASplitAreSlices) {
  const auto part = [](const std::vector<int64_t>& sizes, bool one_size, int64_t position, const char* size) {
    OneNode n(17);
    n.m.input("x", {size});
    if (one_size)
      n.m.ints("sizes", sizes)->clear_dims();
    else
      n.m.ints("sizes", sizes);
    n.m.ints("position", {position})->clear_dims();
    n.m.node("SplitToSequence", {"x", "sizes"}, {"parts"});
    n.m.node("SequenceAt", {"parts", "position"}, {"y"});
    n.m.output("y");
    n.kinds();
    Diagnostics d;
    infer(n.imported.graph, d);
    EXPECT_TRUE(d.ok());
    return interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {7}, {0, 1, 2, 3, 4, 5, 6})})[0].to_float();
  };
  for (const char* size : {"7", "n"}) {
    EXPECT_EQ(part({3, 1, 3}, false, 1, size), (std::vector<float>{3}));
    EXPECT_EQ(part({3, 1, 3}, false, -1, size), (std::vector<float>{4, 5, 6}));
    EXPECT_EQ(part({3}, true, 0, size), (std::vector<float>{0, 1, 2}));
    EXPECT_EQ(part({3}, true, -1, size), (std::vector<float>{6}));
  }
}

TEST(SequenceImporters, ListsOfScriptsAreLookedUp) {
  OneNode n(17);
  for (const char* name : {"a", "b", "c"}) n.m.input(name, {"2"});
  n.m.ints("zero", {0})->clear_dims();
  n.m.node("SequenceEmpty", {}, {"s0"});
  n.m.node("SequenceInsert", {"s0", "a"}, {"s1"});
  n.m.node("SequenceInsert", {"s1", "b"}, {"s2"});
  n.m.node("SequenceInsert", {"s2", "c", "zero"}, {"s3"});
  n.m.node("SequenceErase", {"s3"}, {"s4"});  // c, a
  n.m.node("SequenceLength", {"s4"}, {"length"});
  auto* joined = n.m.node("ConcatFromSequence", {"s4"}, {"y"});
  set_int(joined, "axis", 0);
  set_int(joined, "new_axis", 1);
  n.m.output("y");
  n.m.output("length");
  n.kinds();
  Diagnostics d;
  infer(n.imported.graph, d);
  const auto vector = [](float v) { return Tensor::of<float>(DType::kFloat, {2}, {v, v}); };
  const auto got = interpret(n.imported.graph, {vector(1), vector(2), vector(3)});
  EXPECT_EQ(got[0].to_float(), (std::vector<float>{3, 3, 1, 1}));
  EXPECT_EQ(got[0].dims(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(got[1].to_int64(), (std::vector<int64_t>{2}));
}

TEST(SequenceImporters, UnknownMembersOfSequencesAreRefused) {
  OneNode by_data(17), outside(17), output(17);
  for (OneNode* n : {&by_data, &outside, &output}) {
    n->m.input("x", {"4"});
    n->m.input("i", {}, 7);
    n->m.ints("five", {5})->clear_dims();
    n->m.node("SequenceConstruct", {"x", "x"}, {"s"});
  }
  by_data.m.node("SequenceAt", {"s", "i"}, {"y"});
  by_data.m.output("y");
  EXPECT_NE(by_data.message().find("depends on data"), std::string::npos);
  EXPECT_EQ(import_code(by_data.m), 4);
  outside.m.node("SequenceAt", {"s", "five"}, {"y"});
  outside.m.output("y");
  EXPECT_EQ(import_code(outside.m), 3);
  output.m.output("s");
  output.m.graph->mutable_output(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(import_code(output.m), 4);
}

}  // namespace
}  // namespace edgeconv
