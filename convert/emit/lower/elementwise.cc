// Elementwise nodes: Unary, Binary, Where, Cast, and views (Reshape and its relatives), which cost nothing at run time.
#include "convert/emit/lower.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;

void lower_unary(LowerContext& c, const Node& n) {
  const auto& a = n.as<UnaryAttrs>();
  c.op(n, OpCode::kUnary, {c.operand(n.in(0))}, {c.result(n.outputs[0])}, {a.kind}, {a.alpha});
}

void lower_binary(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kBinary, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])}, {n.as<BinaryAttrs>().kind});
}

void lower_where(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kWhere, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2))}, {c.result(n.outputs[0])});
}

void lower_cast(LowerContext& c, const Node& n) {
  const int source = c.operand(n.in(0));
  // int64 to int32, or fp16 to fp32: the runtime's type is the same.
  if (c.program.values[static_cast<size_t>(source)].dtype == runtime_dtype(n.as<CastAttrs>().to)) {
    c.bind(n.outputs[0], c.program.add_alias(source, c.shape(n.outputs[0])));
    return;
  }
  c.op(n, OpCode::kCast, {source}, {c.result(n.outputs[0])});
}

void lower_view(LowerContext& c, const Node& n) {
  c.bind(n.outputs[0], c.program.add_alias(c.operand(n.in(0)), c.shape(n.outputs[0])));
}

}  // namespace edgeconv
