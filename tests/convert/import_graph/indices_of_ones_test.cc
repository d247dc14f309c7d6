// Places of a slice as TorchScript's index_put writes them, which depend on no data.
#include "convert/import_graph/indices_of_ones.h"

#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

// NonZero of as many of `value` as x has columns.
ModelBuilder places(int64_t value, const char* rank_maker = "Unsqueeze", int opset = 13) {
  ModelBuilder m(opset);
  m.input("x", {"batch", "columns"});
  m.ints("one", {1})->clear_dims();
  m.ints("front", {0});
  m.node("Shape", {"x"}, {"shape"});
  m.node("Gather", {"shape", "one"}, {"count"});
  m.node(rank_maker, {"count", "front"}, {"size"});
  auto* t = attribute(m.node("ConstantOfShape", {"size"}, {"filled"}), "value", 4)->mutable_t();
  t->set_data_type(7);
  t->add_dims(1);
  t->add_int64_data(value);
  m.node("NonZero", {"filled"}, {"found"});
  m.output("found");
  return m;
}

TEST(IndicesOfOnes, AreARange) {
  Diagnostics d;
  ImportedModel imported = places(1).import(d);
  ASSERT_NO_THROW(d.check());
  infer(imported.graph, d);
  ASSERT_NO_THROW(d.check());
  EXPECT_EQ(shape_str(*imported.graph.value(imported.graph.outputs[0]).shape), "[1, columns]");
  const Tensor found = interpret(imported.graph, {Tensor(DType::kFloat, {2, 4})})[0];
  EXPECT_EQ(found.dims(), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(found.to_int64(), (std::vector<int64_t>{0, 1, 2, 3}));
}

// A file that has the names of the new values already is right: it is not one where a value is made twice.
TEST(IndicesOfOnes, NamesOfTheFileAreItsOwn) {
  for (const char* name : {"found/first", "found/step", "found/row", "found/sizes"}) {
    ModelBuilder made = places(1), given = places(1);
    made.node("Neg", {"x"}, {name});
    EXPECT_EQ(import_code(made), 4) << name;
    given.ints(name, {1});
    EXPECT_EQ(import_code(given), 4) << name;
  }
}

// Zeros have no places, two axes have two rows of them, and before opset 12 no Constant says so in integers.
TEST(IndicesOfOnes, OtherFormsAreRefused) {
  std::string message;
  EXPECT_EQ(import_code(places(0), &message), 4);
  EXPECT_NE(message.find("NonZero"), std::string::npos) << message;
  EXPECT_EQ(import_code(places(1, "Expand")), 4);
  EXPECT_EQ(import_code(places(1, "Unsqueeze", 11)), 4);
}

}  // namespace
}  // namespace edgeconv
