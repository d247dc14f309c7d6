// ONNX Runtime's operators with packed or quantized operands: what they compute, on small numbers worked out by hand.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

class ContribOperators : public ::testing::Test {
 protected:
  ContribOperators() { m.opset_import("com.microsoft", 1); }

  pb::TensorProto* bytes(const std::string& name, const std::vector<int64_t>& dims, const std::string& raw, int type = 2) {
    auto* t = m.graph->add_initializer();
    t->set_name(name);
    t->set_data_type(type);
    for (int64_t size : dims) t->add_dims(size);
    t->set_raw_data(raw);
    return t;
  }
  void scalar(const std::string& name, float v) { m.floats(name, {}, {v}); }
  void zero(const std::string& name, int v, int type = 2) { bytes(name, {}, std::string(1, static_cast<char>(v)), type); }

  std::vector<float> run(const std::vector<Tensor>& inputs) {
    m.output("y");
    ImportedModel imported = m.import(d);
    EXPECT_TRUE(d.ok()) << refusal();
    infer(imported.graph, d);
    EXPECT_TRUE(d.ok()) << refusal();
    return interpret(imported.graph, inputs)[0].to_float();
  }
  std::string refusal() {
    std::string s;
    import_code(m, &s);
    return s;
  }

  ModelBuilder m{17};
  Diagnostics d;
};

Tensor floats(const std::vector<int64_t>& dims, const std::vector<float>& v) { return Tensor::of<float>(DType::kFloat, dims, v); }

// Column 0: codes 0..15 twice in two blocks of 16; low half of a byte first, default zero point 8.
TEST_F(ContribOperators, MatMulNBitsOfFourBits) {
  std::string packed;
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < 16; i += 2) packed += static_cast<char>(i | (i + 1) << 4);
  m.input("x", {"1", "32"});
  bytes("w", {1, 2, 8}, packed);
  m.floats("s", {2}, {1, 0.5f});
  auto* n = m.node("MatMulNBits", {"x", "w", "s"}, {"y"}, "com.microsoft");
  for (const auto& [name, v] : {std::pair("K", 32), std::pair("N", 1), std::pair("bits", 4), std::pair("block_size", 16)})
    set_int(n, name, v);
  std::vector<float> x(32, 0);
  x[3] = 1;    // code 3: -5
  x[31] = 10;  // code 15 of the second block: 7 * 0.5
  EXPECT_EQ(run({floats({1, 32}, x)}), std::vector<float>{30});
  ASSERT_EQ(d.warnings().size(), 1u);
  EXPECT_NE(d.warnings()[0].find("4-bit"), std::string::npos);
}

TEST_F(ContribOperators, MatMulNBitsWithZeroPointsAndBias) {
  m.input("x", {"1", "16"});
  bytes("w", {2, 1, 8}, std::string(8, '\x11') + std::string(8, '\x22'));  // all 1, all 2
  m.floats("s", {2}, {1, 1});
  bytes("z", {2, 1}, std::string("\x03\x05", 2));
  m.floats("b", {2}, {0.25f, 0.5f});
  auto* n = m.node("MatMulNBits", {"x", "w", "s", "z", "", "b"}, {"y"}, "com.microsoft");
  for (const auto& [name, v] : {std::pair("K", 16), std::pair("N", 2), std::pair("bits", 4), std::pair("block_size", 16)})
    set_int(n, name, v);
  EXPECT_EQ(run({floats({1, 16}, std::vector<float>(16, 1))}), (std::vector<float>{-32 + 0.25f, -48 + 0.5f}));
}

TEST_F(ContribOperators, MatMulNBitsRefusesWhatDoesNotFit) {
  m.input("x", {"1", "16"});
  bytes("w", {1, 1, 7}, std::string(7, '\x11'));
  m.floats("s", {1}, {1});
  m.output("y");
  auto* n = m.node("MatMulNBits", {"x", "w", "s"}, {"y"}, "com.microsoft");
  for (const auto& [name, v] : {std::pair("K", 16), std::pair("N", 1), std::pair("bits", 4), std::pair("block_size", 16)})
    set_int(n, name, v);
  EXPECT_EQ(import_code(m), static_cast<int>(ExitCode::kMalformed));
}

// (x - 1) * 0.5 times (w - 0) * 2, bias in units of 1.
TEST_F(ContribOperators, QGemm) {
  bytes("x", {1, 2}, std::string("\x03\x05", 2));
  scalar("xs", 0.5f), zero("xz", 1);
  bytes("w", {2, 2}, std::string("\x01\x02\x03\x04", 4), 3);
  scalar("ws", 2), zero("wz", 0, 3);
  auto* bias = m.graph->add_initializer();
  bias->set_name("b");
  bias->set_data_type(6);
  bias->add_dims(2);
  bias->add_int32_data(7);
  bias->add_int32_data(-9);
  m.input("unused", {"1"});
  set_int(m.node("QGemm", {"x", "xs", "xz", "w", "ws", "wz", "b"}, {"y"}, "com.microsoft"), "transB", 1);
  // x = [1, 2], w' = [[2, 6], [4, 8]]
  EXPECT_EQ(run({floats({1}, {0})}), (std::vector<float>{1 * 2 + 2 * 4 + 7, 1 * 6 + 2 * 8 - 9}));
}

TEST_F(ContribOperators, QLinearAddAndConcat) {
  bytes("a", {2}, std::string("\x0a\x14", 2));
  bytes("b", {2}, std::string("\x01\x02", 2));
  scalar("as", 1), zero("az", 0), scalar("bs", 10), zero("bz", 0), scalar("ys", 2), zero("yz", 100);
  m.input("unused", {"1"});
  m.node("QLinearAdd", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"sum"}, "com.microsoft");
  set_int(m.node("QLinearConcat", {"as", "az", "sum", "ys", "yz", "a", "as", "az"}, {"joined"}, "com.microsoft"), "axis", 0);
  set_int(m.node("Cast", {"joined"}, {"y"}), "to", 1);
  EXPECT_EQ(run({floats({1}, {0})}), (std::vector<float>{20, 40, 10, 20}));
}

// One position id is the first position: position 1 turns (1, 0) by a right angle, position 0 not at all.
TEST_F(ContribOperators, RotaryEmbedding) {
  m.input("x", {"1", "2", "2"});
  m.ints("first", {0});
  m.floats("cos", {3, 1}, {1, 0, -1});
  m.floats("sin", {3, 1}, {0, 1, 0});
  set_int(m.node("RotaryEmbedding", {"x", "first", "cos", "sin"}, {"y"}, "com.microsoft"), "num_heads", 1);
  EXPECT_EQ(run({floats({1, 2, 2}, {1, 0, 1, 0})}), (std::vector<float>{1, 0, 0, 1}));
}

// Four buckets for the past and none of its own for what is ahead: 0, 1, then 2 up to a distance of 4, then the last. The table is declared as [buckets, heads], and holds
// the buckets of the first head first.
TEST_F(ContribOperators, RelativePositionBias) {
  m.floats("table", {4, 2}, {0, 1, 2, 3, 10, 11, 12, 13});
  m.ints("length", {6});
  m.input("unused", {"1"});
  set_int(m.node("RelativePositionBias", {"table", "length", "length"}, {"y"}, "com.microsoft"), "max_distance", 8);
  const std::vector<float> y = run({floats({1}, {0})});
  ASSERT_EQ(y.size(), 2u * 6 * 6);
  const std::vector<float> last_query(y.begin() + 30, y.begin() + 36), ahead(y.begin() + 36, y.begin() + 42);
  EXPECT_EQ(last_query, (std::vector<float>{3, 3, 2, 2, 1, 0}));
  EXPECT_EQ(ahead, std::vector<float>(6, 10));
}

TEST_F(ContribOperators, RelativePositionBiasOfTheWrongForm) {
  m.output("y");
  m.floats("table", {4, 2}, {0, 1, 2, 3, 10, 11, 12, 13});
  m.ints("length", {6});
  auto* n = m.node("RelativePositionBias", {"table", "length", "length"}, {"y"}, "com.microsoft");
  EXPECT_NE(refusal().find("max_distance"), std::string::npos) << refusal();
  set_int(n, "max_distance", 2);
  EXPECT_NE(refusal().find("not above half"), std::string::npos) << refusal();
  n->mutable_attribute(0)->set_i(1 << 20);
  EXPECT_NE(refusal().find("smaller max_distance"), std::string::npos) << refusal();
}

TEST_F(ContribOperators, PackedBatchesAreRefused) {
  m.output("y");
  m.input("q", {"tokens", "4"});
  m.input("offsets", {"batch", "sequence"}, 6);
  m.floats("b", {4}, {0, 0, 0, 0});
  m.floats("w", {2, 2}, {0, 0, 0, 0});
  m.floats("wb", {2}, {0, 0});
  m.floats("eco", {1, 2, 1, 1}, {0, 0});
  m.input("positions", {"1", "2", "sequence", "sequence"});
  set_int(m.node("GatedRelativePositionBias", {"q", "b", "positions", "w", "wb", "eco", "offsets"}, {"y"}, "com.microsoft"),
          "num_heads", 2);
  EXPECT_NE(refusal().find("packed"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace edgeconv
