// States: what one run writes is what the next one reads, so both sides are of one dtype and name the same fixed sizes. Sorted by input, and no
// output twice, so each is part of one state.
#include "rt/verify/semantics.h"

namespace ert {
namespace {

bool same_fixed_shape(const Program& p, const fb::Value& a, const fb::Value& b) {
  if (a.rank() != b.rank()) return false;
  for (uint32_t axis = 0; axis < a.rank(); ++axis) {
    const uint32_t e = a.shape()->Get(axis);
    if (kind_of(p.exprs[e]) != ExprKind::kConstant || b.shape()->Get(axis) != e) return false;
  }
  return true;
}

}  // namespace

bool verify_states(const Program& p) {
  if (((p.root->flags() & kFlagStates) != 0) != (p.states.size != 0)) return false;
  for (uint32_t i = 0; i < p.states.size; ++i) {
    const uint32_t in = p.states[i].input(), out = p.states[i].output();
    if (in >= p.inputs.size || out >= p.outputs.size || (i != 0 && in <= p.states[i - 1].input())) return false;
    for (uint32_t k = 0; k < i; ++k) {
      if (p.states[k].output() == out) return false;
    }
    if (p.input_dtypes[in] != p.output_dtypes[out]) return false;
    if (!same_fixed_shape(p, p.values[p.inputs[in]], p.values[p.outputs[out]])) return false;
  }
  return true;
}

}  // namespace ert
