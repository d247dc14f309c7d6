// Binding the caller's tensors to inputs and outputs; shapes of outputs.
#include <string.h>

#include "rt/base/abi.h"
#include "rt/context/context.h"
#include "rt/context/states.h"
#include "rt/sizes/dims.h"
#include "rt/loading/model.h"

namespace ert {
namespace {

// The dtypes that may be bound where the ONNX file says `wanted`.
bool accepts(uint32_t wanted, uint32_t bound) {
  if (wanted == ERT_I32 || wanted == ERT_I64) return bound == ERT_I32 || bound == ERT_I64;
  if (wanted == ERT_BOOL || wanted == ERT_U8) return bound == ERT_BOOL || bound == ERT_U8;
  return wanted == bound;
}

bool aligned(const void* data, uint32_t dtype) { return reinterpret_cast<uintptr_t>(data) % element_bytes(dtype) == 0; }

// Rank, axes of fixed size, and room for all elements.
ert_status check_shape(const Program& p, uint32_t index, const ert_tensor& t, ert_error_detail* why) {
  const fb::Value& v = p.values[p.inputs[index]];
  if (t.rank != v.rank())
    return refuse(ERT_ERR_INPUT, about(ERT_FAULT_RANK, Side::kInput, index, t.rank, v.rank(), v.rank()), why);
  Operand o;
  o.dtype = static_cast<uint8_t>(t.dtype);
  o.rank = static_cast<uint8_t>(t.rank);
  for (uint32_t axis = 0; axis < t.rank; ++axis) {
    const fb::Expr& e = p.exprs[v.shape()->Get(axis)];
    const bool fixed = kind_of(e) == ExprKind::kConstant;
    const int64_t lowest = fixed ? e.value() : 1, highest = fixed ? e.value() : INT32_MAX;
    if (t.shape[axis] < 1 || t.shape[axis] < lowest || t.shape[axis] > highest)
      return refuse(ERT_ERR_INPUT, about_axis(Side::kInput, index, axis, t.shape[axis], lowest, highest), why);
    o.dims[axis] = t.shape[axis];
  }
  size_t bytes;
  if (!operand_bytes(o, &bytes)) return ERT_ERR_INPUT;
  if (bytes <= t.bytes) return ERT_OK;
  const int64_t need = static_cast<int64_t>(bytes);
  return refuse(ERT_ERR_INPUT, about(ERT_FAULT_BUFFER, Side::kInput, index, static_cast<int64_t>(t.bytes), need, need), why);
}

// exactly: in the width of the file, as the context keeps a copy of.
ert_status check_tensor(const ert_tensor* in, uint32_t wanted, Side side, uint32_t index, ert_tensor* t, ert_error_detail* why,
                        bool exactly = false) {
  if (!read_struct(in, t) || t->data == nullptr || t->rank > ERT_MAX_RANK) return ERT_ERR_ARG;
  if (t->bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(t->data)) return ERT_ERR_ARG;
  if (exactly ? t->dtype != wanted : !accepts(wanted, t->dtype))
    return refuse(ERT_ERR_INPUT, about(ERT_FAULT_DTYPE, side, index, t->dtype, wanted, wanted), why);
  if (aligned(t->data, t->dtype)) return ERT_OK;
  const int64_t alignment = static_cast<int64_t>(element_bytes(t->dtype));
  return refuse(ERT_ERR_ALIGN, about(ERT_FAULT_ALIGNMENT, side, index, 0, alignment, alignment), why);
}

void store(ContextState* s, Binding* slot, const ert_tensor& t) {
  // A new width of integers changes what ImportInt and ExportInt see.
  if (slot->data == nullptr || slot->dtype != t.dtype) s->prepared = 0;
  slot->data = t.data;
  slot->bytes = t.bytes;
  slot->dtype = t.dtype;
  slot->rank = t.rank;
  if (slot->state != Binding::kNone) slot->state = Binding::kCallers;
  for (uint32_t axis = 0; axis < ERT_MAX_RANK; ++axis) slot->shape[axis] = axis < t.rank ? t.shape[axis] : 0;
  s->next_op = 0;
}

// Gives a state back to the context. False: there is a tensor to bind, or this is no state.
__attribute__((noinline)) bool unbind(ContextState* s, const Program& p, const ert_tensor* tensor, Binding* b) {
  if (tensor != nullptr || b->state == Binding::kNone) return false;
  *b = Binding{};
  s->prepared = s->next_op = 0;
  bind_states(s, p, false);
  return true;
}

}  // namespace
}  // namespace ert

using namespace ert;

ert_status ert_bind_input(ert_context* c, uint32_t i, const ert_tensor* tensor) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  if (i >= p.inputs.size) return ERT_ERR_ARG;
  if (unbind(&s, p, tensor, &s.inputs[i])) return ERT_OK;
  ert_tensor t;
  ert_status status = check_tensor(tensor, p.input_dtypes[i], Side::kInput, i, &t, &s.why);
  if (status == ERT_OK) status = check_shape(p, i, t, &s.why);
  if (status == ERT_OK) store(&s, &s.inputs[i], t);
  return status;
}

ert_status ert_bind_output(ert_context* c, uint32_t i, const ert_tensor* tensor) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  if (i >= p.outputs.size) return ERT_ERR_ARG;
  if (unbind(&s, p, tensor, &s.outputs[i])) return ERT_OK;
  ert_tensor t;
  const ert_status status =
      check_tensor(tensor, p.output_dtypes[i], Side::kOutput, i, &t, &s.why, s.outputs[i].state != Binding::kNone);
  if (status == ERT_OK) store(&s, &s.outputs[i], t);
  return status;
}

ert_status ert_output_shape(ert_context* c, uint32_t i, ert_tensor* out) {
  ContextCall call(c);
  if (call.status() != ERT_OK) return call.status();
  ContextState& s = call.state();
  const Program p = program_of(s);
  ert_tensor t;
  if (i >= p.outputs.size || !read_struct(out, &t)) return ERT_ERR_ARG;
  int32_t dims[ERT_MAX_DIMS] = {};
  ert_status status = dims_of_inputs(s, p, dims, &s.why);
  // Shapes of outputs do not depend on the mask, whose contents may come later: the rows of the last run are as good as any.
  const bool same_dims = s.prepared != 0 && memcmp(dims, s.dims, p.dims.size * sizeof(int32_t)) == 0;
  if (status == ERT_OK) status = evaluate_if_new(&s, p, dims, same_dims ? s.rows : kEveryRow);
  if (status != ERT_OK) return status;
  Operand shape = s.values[p.outputs[i]];
  t.dtype = s.outputs[i].data != nullptr ? s.outputs[i].dtype : p.output_dtypes[i];
  t.rank = shape.rank;
  for (uint32_t axis = 0; axis < ERT_MAX_RANK; ++axis) t.shape[axis] = axis < t.rank ? shape.dims[axis] : 0;
  shape.dtype = static_cast<uint8_t>(t.dtype);
  size_t bytes;
  if (!operand_bytes(shape, &bytes)) return ERT_ERR_DIMS;
  t.bytes = bytes;
  return write_struct(t, out) ? ERT_OK : ERT_ERR_ARG;
}
