// Operators of one input that map 1:1 to a Unary kind.
#include <iterator>
#include <string_view>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

struct Row {
  std::string_view op;
  int kind;
};

template <class E>
constexpr int code(E e) {
  return static_cast<int>(e);
}

constexpr Row kRows[] = {
    {"Abs", code(UnaryKind::kAbs)},
    {"Ceil", code(UnaryKind::kCeil)},
    {"Cos", code(ActivationKind::kCos)},
    {"Erf", code(ActivationKind::kErf)},
    {"Exp", code(ActivationKind::kExp)},
    {"Floor", code(UnaryKind::kFloor)},
    {"HardSwish", code(ActivationKind::kHardSwish)},
    {"IsNaN", code(UnaryKind::kIsNaN)},
    {"Log", code(ActivationKind::kLog)},
    {"Mish", code(ActivationKind::kMish)},
    {"Neg", code(UnaryKind::kNeg)},
    {"Not", code(UnaryKind::kNot)},
    {"Reciprocal", code(UnaryKind::kReciprocal)},
    {"Relu", code(ActivationKind::kRelu)},
    {"Round", code(UnaryKind::kRound)},
    {"Sigmoid", code(ActivationKind::kSigmoid)},
    {"Sign", code(UnaryKind::kSign)},
    {"Sin", code(ActivationKind::kSin)},
    {"Softplus", code(ActivationKind::kSoftplus)},
    {"Sqrt", code(UnaryKind::kSqrt)},
    {"Tanh", code(ActivationKind::kTanh)},
};

}  // namespace

void import_unary(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  for (const Row& r : kRows)
    if (r.op == n.op_type) {
      c.emit(n, OpKind::kUnary, {required_input(c, n, 0)}, UnaryAttrs{r.kind, 0});
      return;
    }
}

}  // namespace edgeconv
