// The dims of a run, from the shapes of the inputs that are bound.
#include "rt/context/context.h"

namespace ert {

ert_status dims_of_inputs(const ContextState& s, const Program& p, int32_t* dims, ert_error_detail* why) {
  int32_t teller[ERT_MAX_DIMS];  // the first input that has the dim, or -1
  for (uint32_t d = 0; d < p.dims.size; ++d) {
    dims[d] = 0;
    teller[d] = -1;
  }
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    const Binding& b = s.inputs[i];
    if (b.data == nullptr) return refuse(ERT_ERR_STATE, about(ERT_FAULT_UNBOUND, Side::kInput, i), why);
    const fb::Value& v = p.values[p.inputs[i]];
    for (uint32_t axis = 0; axis < b.rank; ++axis) {
      const fb::Expr& e = p.exprs[v.shape()->Get(axis)];
      if (kind_of(e) != ExprKind::kDim) continue;
      const int32_t known = dims[e.lhs()];
      if (known != 0 && known != b.shape[axis])
        return refuse(ERT_ERR_INPUT, about_axis(Side::kInput, i, axis, b.shape[axis], known, known), why);
      if (known == 0) teller[e.lhs()] = static_cast<int32_t>(i);
      dims[e.lhs()] = b.shape[axis];
    }
  }
  for (uint32_t d = 0; d < p.dims.size; ++d) {
    if (dims[d] == 0) dims[d] = s.max_dims[d];  // no input tells: the size that the caller planned for
    if (dims[d] >= p.dims[d].min() && dims[d] <= s.max_dims[d]) continue;
    ert_error_detail detail = no_error();
    detail.fault = ERT_FAULT_DIM;
    detail.input = teller[d];
    detail.dim = static_cast<int32_t>(d);
    detail.value = dims[d];
    detail.lowest = p.dims[d].min();
    detail.highest = s.max_dims[d];
    return refuse(ERT_ERR_DIMS, detail, why);
  }
  return ERT_OK;
}

}  // namespace ert
