// Size expressions and shapes with checked arithmetic: see dims.h.
#include "rt/sizes/dims.h"

#include "rt/base/bytes.h"
#include "rt/base/limits.h"
#include "rt/ops/op_params.h"

namespace ert {
namespace {

// Quotient and remainder as in mathematics (the remainder has the divisor's sign), not as in C.
bool floor_division(int64_t a, int64_t b, int64_t* quotient, int64_t* remainder) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  int64_t q = a / b, r = a % b;
  if (r != 0 && (r < 0) != (b < 0)) {
    q -= 1;
    r += b;
  }
  *quotient = q;
  *remainder = r;
  return true;
}

bool evaluate(const fb::Expr& e, const int32_t* dims, int32_t rows, const int64_t* earlier, int64_t* out) {
  const ExprKind kind = kind_of(e);
  if (kind == ExprKind::kConstant) return *out = e.value(), true;
  if (kind == ExprKind::kDim) return *out = dims[e.lhs()], true;
  const int64_t a = earlier[e.lhs()], b = earlier[e.rhs()];
  int64_t quotient, remainder;
  switch (kind) {
    case ExprKind::kAdd: return !__builtin_add_overflow(a, b, out);
    case ExprKind::kSub: return !__builtin_sub_overflow(a, b, out);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      if (!floor_division(a, b, &quotient, &remainder)) return false;
      *out = kind == ExprKind::kMod ? remainder : quotient;
      return true;
    case ExprKind::kMin: return *out = a < b ? a : b, true;
    case ExprKind::kMax: return *out = a > b ? a : b, true;
    case ExprKind::kMul:
    case ExprKind::kRows:
      if (__builtin_mul_overflow(a, b, out)) return false;
      if (kind == ExprKind::kMul) return true;
      if (*out > INT32_MAX) return false;
      if (rows != kEveryRow) *out = rows;
      return true;
    case ExprKind::kConstant:
    case ExprKind::kDim:
    case ExprKind::kCount: break;
  }
  return false;
}

}  // namespace

uint32_t element_bytes(uint32_t dtype) {
  switch (dtype) {
    case ERT_F32:
    case ERT_I32: return 4;
    case ERT_I64: return 8;
    case ERT_I16: return 2;
    case ERT_U8:
    case ERT_I8:
    case ERT_BOOL: return 1;
    default: return 0;
  }
}

bool evaluate_exprs(const Program& p, const int32_t* dims, int64_t* out, int32_t rows) {
  for (uint32_t i = 0; i < p.exprs.size; ++i) {
    if (!evaluate(p.exprs[i], dims, rows, out, &out[i])) return false;
  }
  return true;
}

bool resolve_operand(const Program& p, uint32_t v, const int64_t* exprs, Operand* out) {
  const fb::Value& value = p.values[v];
  Operand o;
  o.dtype = value.dtype();
  o.rank = value.rank();
  for (uint32_t axis = 0; axis < o.rank; ++axis) {
    const int64_t size = exprs[value.shape()->Get(axis)];
    if (size < 1 || size > INT32_MAX) return false;
    o.dims[axis] = static_cast<int32_t>(size);
  }
  const fb::Value& root = p.values[root_value(p, v)];
  if (storage_of(root) == Storage::kConstant) {
    o.constant = true;
    o.data = constant_data(p, root);
  }
  *out = o;
  return true;
}

bool resolve_port(const Program& p, uint32_t k, const int64_t* exprs, Operand* out) {
  const uint32_t inputs = p.inputs.size;
  const bool input = k < inputs;
  if (!resolve_operand(p, input ? p.inputs[k] : p.outputs[k - inputs], exprs, out)) return false;
  out->dtype = input ? p.input_dtypes[k] : p.output_dtypes[k - inputs];
  return true;
}

bool golden_within(const Program& p, const fb::Golden& g, const int32_t* max_dims) {
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    if (g.dims()->Get(i) > max_dims[i]) return false;
  }
  return true;
}

bool evaluate_golden(const Program& p, const fb::Golden& g, int64_t* exprs) {
  int32_t dims[ERT_MAX_DIMS] = {};
  for (uint32_t i = 0; i < p.dims.size; ++i) dims[i] = g.dims()->Get(i);
  return evaluate_exprs(p, dims, exprs);
}

bool operand_bytes(const Operand& o, size_t* bytes) {
  Bytes total;
  if (params::is_packed(o.dtype)) {
    if (o.rank != 2) return false;
    const kernels::Layout layout = params::kernel_layout(o.dtype);
    // A dim and what rounds it up fit 32 bits.
    total = Bytes(kernels::round_up(static_cast<size_t>(o.dims[0]), kernels::panel_columns(layout))) *
            Bytes(kernels::round_up(static_cast<size_t>(o.dims[1]), kernels::line_depth(layout))) * kernels::weight_bytes(layout);
  } else {
    total = element_bytes(o.dtype);
    for (int axis = 0; axis < o.rank; ++axis) total = total * static_cast<uint64_t>(o.dims[axis]);
  }
  return total.get(bytes) && uint64_t{*bytes} <= limits::kMaxTensorBytes;
}

}  // namespace ert
