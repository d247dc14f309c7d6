// Nodes that have what no operator has.
#include <gtest/gtest.h>

#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

// Its importer counts operands too.
TEST(MisshapenNodes, TooManyInputsAreToldOnce) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("Relu", {"x", "x"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 3);
  EXPECT_NE(message.find("has 2 inputs"), std::string::npos) << message;
  EXPECT_EQ(message.find("has 2 inputs"), message.rfind("has 2 inputs")) << message;
}

}  // namespace
}  // namespace edgeconv
