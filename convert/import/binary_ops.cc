// Operators of two inputs with numpy broadcast that map 1:1 to a Binary kind.
#include <string_view>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

struct Row {
  std::string_view op;
  BinaryKind kind;
};

constexpr Row kRows[] = {
    {"Add", BinaryKind::kAdd},         {"And", BinaryKind::kAnd},
    {"Div", BinaryKind::kDiv},         {"Equal", BinaryKind::kEqual},
    {"Greater", BinaryKind::kGreater}, {"GreaterOrEqual", BinaryKind::kGreaterOrEqual},
    {"Less", BinaryKind::kLess},       {"LessOrEqual", BinaryKind::kLessOrEqual},
    {"Mul", BinaryKind::kMul},         {"Or", BinaryKind::kOr},
    {"PRelu", BinaryKind::kPRelu},     {"Pow", BinaryKind::kPow},
    {"Sub", BinaryKind::kSub},         {"Xor", BinaryKind::kXor},
};

}  // namespace

void import_binary(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  // Up to opset 6 these operators broadcast only on request and along a chosen axis.
  if (n.integer("broadcast", 0) != 0)
    refuse("broadcasting by attribute (before opset 7)", "export the model again with opset_version=17 or newer");
  const ValueId a = required_input(c, n, 0), b = required_input(c, n, 1);
  for (const Row& r : kRows)
    if (r.op == n.op_type) {
      c.emit(n, OpKind::kBinary, {a, b}, BinaryAttrs{r.kind});
      return;
    }
}

}  // namespace edgeconv
