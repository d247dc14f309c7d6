// The pooling of BART's classifiers, hidden[ids == eos].view(batch, -1, size)[:, -1], needs no shape that depends on data.
#include "convert/import_graph/last_marked_token.h"

#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

// As TorchScript writes it. `position`: which of a row's marked tokens is taken.
ModelBuilder pooled(int64_t position, const char* first_size = "") {
  ModelBuilder m(14);
  m.input("marked", {"batch", "sequence"}, 9);
  m.input("hidden", {"batch", "sequence", "3"});
  m.ints("zero", {0})->clear_dims();
  m.ints("first_axis", {0});
  m.ints("rest", {-1});
  m.ints("size", {3});
  auto* constant = m.node("Constant", {}, {"position"});
  auto* t = attribute(constant, "value", 4)->mutable_t();
  t->set_data_type(7);
  t->add_int64_data(position);
  m.node("NonZero", {"marked"}, {"found"});
  set_ints(m.node("Transpose", {"found"}, {"where"}), "perm", {1, 0});
  m.node("GatherND", {"hidden", "where"}, {"tokens"});
  m.node("Shape", {"hidden"}, {"shape"});
  m.node("Gather", {"shape", "zero"}, {"rows"});
  m.node("Unsqueeze", {"rows", "first_axis"}, {"batch_size"});
  set_int(m.node("Concat", {*first_size ? first_size : "batch_size", "rest", "size"}, {"sizes"}), "axis", 0);
  m.node("Reshape", {"tokens", "sizes"}, {"by_row"});
  set_int(m.node("Gather", {"by_row", "position"}, {"y"}), "axis", 1);
  m.output("y");
  return m;
}

TEST(LastMarkedToken, OfEveryRowIsGathered) {
  ModelBuilder m = pooled(-1);
  Diagnostics d;
  ImportedModel imported = m.import(d);
  ASSERT_NO_THROW(d.check());
  infer(imported.graph, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_EQ(shape_str(*imported.graph.value(imported.graph.outputs[0]).shape), "[batch, 3]");
  Tensor marked(DType::kBool, {2, 4});
  const std::vector<uint8_t> bits = {0, 1, 0, 1, 1, 0, 1, 0};
  std::copy(bits.begin(), bits.end(), marked.mut<uint8_t>().begin());
  std::vector<float> hidden(24);
  for (size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<float>(i);
  const Tensor y = interpret(imported.graph, {marked, Tensor::of<float>(DType::kFloat, {2, 4, 3}, hidden)})[0];
  EXPECT_EQ(y.dims(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(y.to_float(), (std::vector<float>{9, 10, 11, 18, 19, 20}));
}

// The first one of a row, and sizes that are not those of rows, stay what they are: of a shape that depends on data.
TEST(LastMarkedToken, OtherFormsAreRefused) {
  std::string message;
  EXPECT_EQ(import_code(pooled(0), &message), 4);
  EXPECT_NE(message.find("NonZero"), std::string::npos);
  EXPECT_EQ(import_code(pooled(-1, "size")), 4);
}

// Marked tokens that others read too are needed as they are.
TEST(LastMarkedToken, OtherReadersKeepIt) {
  ModelBuilder m = pooled(-1);
  m.node("Shape", {"tokens"}, {"count"});
  m.output("count");
  EXPECT_EQ(import_code(m), 4);
  ModelBuilder given = pooled(-1);
  given.output("tokens");
  EXPECT_EQ(import_code(given), 4);
}

}  // namespace
}  // namespace edgeconv
