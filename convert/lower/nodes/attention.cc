// Fused parts of transformer layers: attention and rotary embedding, one runtime op for all heads, and gated units.
#include "convert/lower/lower.h"

namespace edgeconv {

void lower_attention(LowerContext& c, const Node& n) {
  namespace att = ert::params::attention;
  const auto& a = n.as<AttentionAttrs>();
  c.op(n, ert::params::OpCode::kAttention,
       named<att::kInputCount>({{att::kQ, c.operand(n.in(0))},
                                {att::kK, c.operand(n.in(1))},
                                {att::kV, c.operand(n.in(2))},
                                {att::kBias, c.operand(n.in(3))},
                                {att::kMask, c.operand(n.in(4))}}),
       {c.result(n.outputs[0])},
       named<att::kPacked>({{att::kPrecision, c.options.plan.int8_attention ? att::kInt8 : att::kF32},
                            {att::kHeads, a.heads},
                            {att::kKvHeads, a.kv_heads},
                            {att::kHeadDim, a.head_dim},
                            {att::kVDim, a.v_dim},
                            {att::kQFirst, a.q_first},
                            {att::kKFirst, a.k_first},
                            {att::kVFirst, a.v_first},
                            {att::kCausal, a.causal}}),
       named_floats<att::kFloatCount>({{att::kScale, a.scale}}));
}

void lower_rope(LowerContext& c, const Node& n) {
  namespace rope = ert::params::rope;
  const auto& a = n.as<RopeAttrs>();
  c.op(n, ert::params::OpCode::kRope,
       named<rope::kInputCount>(
           {{rope::kX, c.operand(n.in(0))}, {rope::kCos, c.operand(n.in(1))}, {rope::kSin, c.operand(n.in(2))}}),
       {c.result(n.outputs[0])},
       named<rope::kIntCount>({{rope::kHeads, a.heads},
                               {rope::kHeadDim, a.head_dim},
                               {rope::kRotated, a.rotated},
                               {rope::kFirst, a.first},
                               {rope::kInterleaved, a.interleaved}}));
}

void lower_glu(LowerContext& c, const Node& n) {
  const auto& a = n.as<GluAttrs>();
  namespace glu = ert::params::glu;
  c.op(n, ert::params::OpCode::kGlu,
       named<glu::kInputCount>({{glu::kActivated, c.operand(n.in(0))}, {glu::kFactor, c.operand(n.in(1))}}),
       {c.result(n.outputs[0])},
       named<glu::kIntCount>(
           {{glu::kActivation, a.activation}, {glu::kActivatedFirst, a.activated_first}, {glu::kFactorFirst, a.factor_first}}));
}

}  // namespace edgeconv
