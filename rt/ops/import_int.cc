// ImportInt: brings an integer input from the dtype in which the caller bound it into the runtime's i32 or bool.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace import_int_op {

using namespace ops;

bool is_boundary_int(const Operand& o) {
  return o.dtype == ERT_I64 || o.dtype == ERT_I32 || o.dtype == ERT_U8 || o.dtype == ERT_I8 || o.dtype == ERT_BOOL;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  return is_boundary_int(in) && (is_i32(out) || is_bool(out)) && same_shape(in, out);
}

template <class T>
void convert(const OpContext& c) {
  const T* src = input(c, 0).as<T>();
  const Operand& out = output(c, 0);
  const int64_t n = out.elements();
  if (is_bool(out)) {
    uint8_t* dst = out.mut<uint8_t>();
    for (int64_t i = 0; i < n; ++i) dst[i] = src[i] != 0;
  } else {
    const bool from_bool = is_bool(input(c, 0));
    int32_t* dst = out.mut<int32_t>();
    for (int64_t i = 0; i < n; ++i) dst[i] = from_bool ? src[i] != 0 : saturate_i32(src[i]);
  }
}

ert_status run(const OpContext& c) {
  switch (input(c, 0).dtype) {
    case ERT_I64: convert<int64_t>(c); break;
    case ERT_I32: convert<int32_t>(c); break;
    case ERT_I8: convert<int8_t>(c); break;
    default: convert<uint8_t>(c); break;
  }
  return ERT_OK;
}

}  // namespace import_int_op
}  // namespace

const OpDef kOpImportInt = {"ImportInt", import_int_op::prepare, import_int_op::run, nullptr, 0};

}  // namespace ert
