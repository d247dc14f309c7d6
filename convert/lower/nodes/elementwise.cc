// Elementwise nodes: Unary, Binary, Where, Cast, and views (Reshape and its relatives), which cost nothing at run time.

#include "convert/lower/lower.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace kinds = ert::params::binary;
namespace un = ert::params::unary;

void lower_view(LowerContext& c, const Node& n);

namespace {

int int_scalar(LowerContext& c, int32_t v) { return c.constant_i32({}, {v}); }

bool computes_on_integers(int unary_kind) {
  return unary_kind == un::kNeg || unary_kind == un::kAbs || unary_kind == un::kSign || unary_kind == un::kSquare;
}

bool rounds(int unary_kind) { return unary_kind == un::kFloor || unary_kind == un::kCeil || unary_kind == un::kRound; }

// base ** exponent in the type of the base. Where one side is a float, both are.
void lower_pow(LowerContext& c, const Node& n, int base, int exponent) {
  const Shape& out = c.shape(n.outputs[0]);
  const uint8_t dtype = runtime_dtype(c.graph.value(n.outputs[0]).dtype);
  base = c.as_dtype(n, base, ERT_F32, c.shape(n.in(0)));
  exponent = c.as_dtype(n, exponent, ERT_F32, c.shape(n.in(1)));
  const int power = dtype == ERT_F32 ? c.result(n.outputs[0]) : c.temporary(ERT_F32, out);
  c.op(n, OpCode::kBinary, {base, exponent}, {power}, named<kinds::kIntCount>({{kinds::kKind, kinds::kPow}}));
  if (dtype != ERT_F32) c.bind(n.outputs[0], c.as_dtype(n, power, dtype, out));
}

}  // namespace

void lower_unary(LowerContext& c, const Node& n) {
  const auto& a = n.as<UnaryAttrs>();
  const int x = c.operand(n.in(0));
  if (c.program.values[static_cast<size_t>(x)].dtype == ERT_I32 && !computes_on_integers(a.kind)) {
    if (rounds(a.kind)) return lower_view(c, n);
    if (a.kind != static_cast<int>(ert::kernels::Unary::kRelu))
      return c.unsupported(n, "it has integers as input, which devices compute it on only as floats",
                           "cast its input to float32");
    c.op(n, OpCode::kBinary, {x, int_scalar(c, 0)}, {c.result(n.outputs[0])},
         named<kinds::kIntCount>({{kinds::kKind, kinds::kMax}}));
    return;
  }
  c.op(n, OpCode::kUnary, {x}, {c.result(n.outputs[0])}, named<un::kIntCount>({{un::kKind, a.kind}}),
       named_floats<un::kFloatCount>({{un::kAlpha, a.alpha}}));
  c.wrap_narrow(n, n.outputs[0]);
}

void lower_binary(LowerContext& c, const Node& n) {
  const auto kind = n.as<BinaryAttrs>().kind;
  const int lhs = c.operand(n.in(0)), rhs = c.operand(n.in(1));
  const uint8_t dtype = c.program.values[static_cast<size_t>(lhs)].dtype;
  const bool mixed = dtype != c.program.values[static_cast<size_t>(rhs)].dtype;
  if (mixed && kind == kinds::kPow) return lower_pow(c, n, lhs, rhs);
  if (mixed) return c.unsupported(n, "its operands have different element types", "cast one of them");
  if (dtype == ERT_I32 && kind == kinds::kPRelu)
    return c.unsupported(n, "it has integers as input, which devices compute it on only as floats", "cast its input to float32");
  c.op(n, OpCode::kBinary, {lhs, rhs}, {c.result(n.outputs[0])}, named<kinds::kIntCount>({{kinds::kKind, kind}}));
  if (kind == kinds::kAdd || kind == kinds::kSub || kind == kinds::kMul || kind == kinds::kDiv || kind == kinds::kPow)
    c.wrap_narrow(n, n.outputs[0]);
}

void lower_where(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kWhere, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2))}, {c.result(n.outputs[0])});
}

// int64 to int32, or fp16 to fp32: the runtime's type is the same. Floats beyond a narrow type have no defined result.
void lower_cast(LowerContext& c, const Node& n) {
  const DType from = c.graph.value(n.in(0)).dtype;
  const int source = c.operand(n.in(0));
  if (c.program.values[static_cast<size_t>(source)].dtype == runtime_dtype(n.as<CastAttrs>().to)) {
    c.bind(n.outputs[0], c.program.add_alias(source, c.shape(n.outputs[0])));
    if (is_integer(from) && from != n.as<CastAttrs>().to) c.wrap_narrow(n, n.outputs[0]);
    return;
  }
  c.op(n, OpCode::kCast, {source}, {c.result(n.outputs[0])});
}

void lower_view(LowerContext& c, const Node& n) {
  c.bind(n.outputs[0], c.program.add_alias(c.operand(n.in(0)), c.shape(n.outputs[0])));
}

}  // namespace edgeconv
