// Constants of 2 and 4 bits (onnx.proto: several numbers a byte, the first in its low bits), and scales as quantizers of weights write them.
#include <gtest/gtest.h>

#include <limits>

#include "convert/interp/interpreter.h"
#include "tests/convert/import/one_node.h"

namespace edgeconv {
namespace {

enum Type : int32_t { kFloats = 1, kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26 };

pb::TensorProto* add(OneNode& n, const char* name, int32_t type, const std::vector<int64_t>& dims) {
  auto* t = n.m.graph->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  for (int64_t d : dims) t->add_dims(d);
  return t;
}

void add_floats(OneNode& n, const char* name, const std::vector<float>& v) {
  auto* t = add(n, name, kFloats, {static_cast<int64_t>(v.size())});
  for (float x : v) t->add_float_data(x);
}

// y = x + DequantizeLinear(codes, scale), x of so many elements.
struct Dequantized : OneNode {
  Dequantized(int64_t elements, const std::vector<float>& scale, int64_t block = 0) : OneNode(21) {
    m.input("x", {std::to_string(elements)});
    add_floats(*this, "scale", scale);
    auto* d = m.node("DequantizeLinear", {"codes", "scale"}, {"w"});
    set_int(d, "axis", 0);
    if (block > 0) set_int(d, "block_size", block);
    m.node("Add", {"x", "w"}, {"y"});
    m.output("y");
  }
  std::vector<float> weights() {
    EXPECT_FALSE(kinds().empty());
    const Graph& g = imported.graph;
    const Tensor zeros(DType::kFloat, {g.value(g.inputs[0]).shape->at(0).constant().value()});
    return interpret(g, {zeros})[0].to_float();
  }
};

std::vector<float> stored(int32_t type, int64_t elements, const std::string& bytes, bool raw) {
  Dequantized n(elements, {0.5f});
  auto* t = add(n, "codes", type, {elements});
  if (raw)
    t->set_raw_data(bytes);
  else
    for (const char byte : bytes) t->add_int32_data(static_cast<uint8_t>(byte));
  return n.weights();
}

TEST(PackedIntegers, EveryTypeInBothFields) {
  for (const bool raw : {true, false}) {
    EXPECT_EQ(stored(kUint4, 3, "\xF1\x08", raw), (std::vector<float>{.5f, 7.5f, 4}));
    EXPECT_EQ(stored(kInt4, 4, "\xF1\x78", raw), (std::vector<float>{.5f, -.5f, -4, 3.5f}));
    EXPECT_EQ(stored(kUint2, 5, "\xE4\x02", raw), (std::vector<float>{0, .5f, 1, 1.5f, 1}));
    EXPECT_EQ(stored(kInt2, 4, "\xE4", raw), (std::vector<float>{0, .5f, -1, -.5f}));
  }
}

TEST(PackedIntegers, BytesThatDoNotFitTheShapeAreRefused) {
  for (const int64_t elements : {3, 8}) {
    Dequantized n(elements, {1});
    add(n, "codes", kInt4, {elements})->set_raw_data("\x21");
    EXPECT_NE(n.message().find("its raw_data has 1 bytes, its shape needs " + std::to_string((elements + 1) / 2)), std::string::npos) << n.message();
  }
}

TEST(PackedIntegers, InNodesToo) {
  OneNode n(21);
  n.m.input("x", {"2"});
  auto* constant = n.m.node("Constant", {}, {"codes"});
  auto* t = attribute(constant, "value", 4)->mutable_t();
  t->set_data_type(kInt4);
  t->add_dims(2);
  t->set_raw_data("\x9F");
  set_int(n.m.node("Cast", {"codes"}, {"w"}), "to", kFloats);
  n.m.node("Add", {"x", "w"}, {"y"});
  n.m.output("y");
  EXPECT_FALSE(n.kinds().empty());
  EXPECT_EQ(interpret(n.imported.graph, {Tensor(DType::kFloat, {2})})[0].to_float(), (std::vector<float>{-1, -7}));
}

// ONNX Runtime's quantizer gives a block the scale of its largest number divided by -8.
TEST(PackedIntegers, ScalesOfBlocksMayBeNegativeOrZero) {
  Dequantized n(4, {-1, 0}, 2);
  add(n, "codes", kInt4, {4})->set_raw_data("\x18\x23");
  EXPECT_EQ(n.weights(), (std::vector<float>{8, -1, 0, 0}));
}

TEST(PackedIntegers, AScaleOfInfinityIsRefused) {
  Dequantized n(2, {std::numeric_limits<float>::infinity()});
  add(n, "codes", kInt4, {2})->set_raw_data("\x18");
  EXPECT_NE(n.message().find("a scale is not finite"), std::string::npos) << n.message();
}

TEST(PackedIntegers, QuantizeLinearSaturatesWhereItsZeroPointOrItsTypeSays) {
  for (const bool by_zero_point : {true, false}) {
    OneNode n(21);
    n.m.input("x", {"3"});
    add_floats(n, "scale", {1});
    std::vector<std::string> inputs = {"x", "scale"};
    if (by_zero_point) {
      add(n, "zero", kInt4, {1})->set_raw_data(std::string(1, '\0'));
      inputs.emplace_back("zero");
    }
    auto* q = n.m.node("QuantizeLinear", inputs, {"q"});
    if (!by_zero_point) set_int(q, "output_dtype", kInt4);
    n.m.node("DequantizeLinear", {"q", "scale"}, {"y"});
    n.m.output("y");
    EXPECT_FALSE(n.kinds().empty());
    EXPECT_EQ(interpret(n.imported.graph, {Tensor::of<float>(DType::kFloat, {3}, {-20, 3, 20})})[0].to_float(), (std::vector<float>{-8, 3, 7}));
  }
}

// Behind a Squeeze, Concat or Gather, and in the branch of an If, a zero point was one of 8 bits.
TEST(PackedIntegers, AZeroPointKeepsItsBitsBehindOthersAndInBranches) {
  for (const bool in_branch : {false, true}) {
    OneNode n(21);
    n.m.input("x", {"3"});
    n.m.input("which", {}, 9);
    add_floats(n, "scale", {1});
    add(n, "zero", kInt4, {1, 1})->set_raw_data(std::string(1, '\0'));
    set_int(n.m.node("Concat", {"zero", "zero"}, {"zeros"}), "axis", 0);
    add(n, "first", 7, {})->add_int64_data(0);
    n.m.node("Gather", {"zeros", "first"}, {"one"});
    n.m.node("Squeeze", {"one"}, {"scalar"});
    pb::GraphProto* g = n.m.graph;
    if (in_branch) {
      auto* choice = n.m.node("If", {"which"}, {"y"});
      auto* other = attribute(choice, "else_branch", 5)->mutable_g();
      ModelBuilder::fill(other->add_node(), "Neg", {"x"}, {"other"});
      other->add_output()->set_name("other");
      g = attribute(choice, "then_branch", 5)->mutable_g();
      g->add_output()->set_name("restored");
    }
    ModelBuilder::fill(g->add_node(), "QuantizeLinear", {"x", "scale", "scalar"}, {"q"});
    ModelBuilder::fill(g->add_node(), "DequantizeLinear", {"q", "scale"}, {in_branch ? "restored" : "y"});
    n.m.output("y");
    EXPECT_FALSE(n.kinds().empty()) << n.message();
    const std::vector<Tensor> inputs = {Tensor::of<float>(DType::kFloat, {3}, {-20, 3, 20}), Tensor::of<uint8_t>(DType::kBool, {}, {1})};
    EXPECT_EQ(interpret(n.imported.graph, inputs)[0].to_float(), (std::vector<float>{-8, 3, 7})) << in_branch;
  }
}

// It gave numbers of 8 bits.
TEST(PackedIntegers, CastLikeOfThemIsRefusedAsCastIs) {
  OneNode n(21);
  n.m.input("x", {"3"});
  add(n, "like", kInt4, {1})->set_raw_data(std::string(1, '\0'));
  n.m.node("Identity", {"like"}, {"same"});
  n.m.node("CastLike", {"x", "same"}, {"q"});
  set_int(n.m.node("Cast", {"q"}, {"y"}), "to", kFloats);
  n.m.output("y");
  EXPECT_NE(n.message().find("its result has elements of 4 bits"), std::string::npos) << n.message();
}

TEST(PackedIntegers, TwoWidthsOfOneResultAreRefused) {
  OneNode n(21);
  n.m.input("x", {"3"});
  add_floats(n, "scale", {1});
  add(n, "zero", kInt4, {1})->set_raw_data(std::string(1, '\0'));
  set_int(n.m.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"}), "output_dtype", 3);
  n.m.node("DequantizeLinear", {"q", "scale"}, {"y"});
  n.m.output("y");
  EXPECT_NE(n.message().find("its zero point has 4 bits, its output_dtype 8"), std::string::npos) << n.message();
}

}  // namespace
}  // namespace edgeconv
