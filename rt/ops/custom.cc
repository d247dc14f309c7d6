// Custom: calls the caller's function with plain tensors. They live in scratch, before the function's own working memory.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"

namespace ert {
namespace {
namespace custom_op {

using namespace ops;

uint64_t tensor_bytes(uint32_t count) { return kernels::round_up(count * sizeof(ert_tensor), 64); }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {0, kMaxOperands}, {1, kMaxOperands}, {params::custom::kIntCount, params::custom::kIntCount}, {0, 0}))
    return false;
  if (c.ints[params::custom::kIndex] < 0 || c.n_inputs + c.n_outputs > kMaxOperands) return false;
  for (uint32_t i = 0; i < c.n_inputs; ++i) {
    if (c.inputs[i].present() && element_bytes(c.inputs[i]) == 0) return false;
  }
  for (uint32_t i = 0; i < c.n_outputs; ++i) {
    if (c.outputs[i].present() && element_bytes(c.outputs[i]) == 0) return false;
  }
  const Bytes own = c.custom != nullptr ? c.custom->scratch_bytes : 0;
  return set_scratch(scratch, Bytes(tensor_bytes(c.n_inputs + c.n_outputs)) + own);
}

// An absent operand becomes a tensor of dtype 0 without data.
ert_tensor tensor_of(const Operand& o) {
  ert_tensor t = {};
  t.struct_size = sizeof t;
  t.dtype = o.dtype;
  t.rank = o.rank;
  for (int i = 0; i < o.rank; ++i) t.shape[i] = o.dims[i];
  t.data = o.mut<void>();
  t.bytes = o.present() ? static_cast<size_t>(o.elements()) * element_bytes(o) : 0;
  return t;
}

ert_status run(const OpContext& c) {
  if (c.custom == nullptr || c.custom->run == nullptr) return ERT_ERR_UNSUPPORTED;
  ert_tensor* tensors = static_cast<ert_tensor*>(static_cast<void*>(c.scratch));
  for (uint32_t i = 0; i < c.n_inputs; ++i) tensors[i] = tensor_of(c.inputs[i]);
  for (uint32_t i = 0; i < c.n_outputs; ++i) tensors[c.n_inputs + i] = tensor_of(c.outputs[i]);
  void* own = c.custom->scratch_bytes == 0 ? nullptr : c.scratch + tensor_bytes(c.n_inputs + c.n_outputs);
  const int failed = c.custom->run(c.custom->context, c.custom_attributes, c.n_custom_attributes, tensors, c.n_inputs,
                                   tensors + c.n_inputs, c.n_outputs, own);
  return failed ? ERT_ERR_CUSTOM_OP : ERT_OK;
}

}  // namespace custom_op
}  // namespace

const OpDef kOpCustom = {"Custom", custom_op::prepare, custom_op::run, nullptr, 0};

}  // namespace ert
