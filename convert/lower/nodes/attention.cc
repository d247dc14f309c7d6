// Fused parts of transformer layers: attention and rotary embedding, one runtime op for all heads, and gated units.
#include "convert/lower/lower.h"

namespace edgeconv {

void lower_attention(LowerContext& c, const Node& n) {
  const auto& a = n.as<AttentionAttrs>();
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  c.op(n, ert::params::OpCode::kAttention,
       {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2)), c.operand(n.in(3)), c.operand(n.in(4))},
       {c.result(n.outputs[0])},
       {c.options.plan.int8_attention ? 0 : 1, i32(a.heads), i32(a.kv_heads), i32(a.head_dim), i32(a.v_dim), i32(a.q_first),
        i32(a.k_first), i32(a.v_first), a.causal ? 1 : 0},
       {a.scale});
}

void lower_rope(LowerContext& c, const Node& n) {
  const auto& a = n.as<RopeAttrs>();
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  c.op(n, ert::params::OpCode::kRope, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2))}, {c.result(n.outputs[0])},
       {i32(a.heads), i32(a.head_dim), i32(a.rotated), i32(a.first), a.interleaved ? 1 : 0});
}

void lower_glu(LowerContext& c, const Node& n) {
  const auto& a = n.as<GluAttrs>();
  c.op(n, ert::params::OpCode::kGlu, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])},
       {a.activation, static_cast<int32_t>(a.activated_first), static_cast<int32_t>(a.factor_first)});
}

}  // namespace edgeconv
