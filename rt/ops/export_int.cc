// ExportInt: writes an i32 or bool value into an output of the dtype in which the caller bound it.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"

namespace ert {
namespace {
namespace export_int_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  const bool to_int = out.dtype == ERT_I64 || is_i32(out);
  const bool to_byte = is_bool(out) || (is_bool(in) && out.dtype == ERT_U8);
  return (is_i32(in) || is_bool(in)) && (to_int || to_byte) && same_shape(in, out);
}

template <class Src, class Dst>
void widen(const Operand& in, const Operand& out) {
  const Src* src = in.as<Src>();
  Dst* dst = out.mut<Dst>();
  const int64_t n = out.elements();
  for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<Dst>(src[i]);
}

void to_bytes(const Operand& in, const Operand& out) {
  uint8_t* dst = out.mut<uint8_t>();
  const int64_t n = out.elements();
  if (is_i32(in)) {
    for (int64_t i = 0; i < n; ++i) dst[i] = in.as<int32_t>()[i] != 0;
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i] = in.as<uint8_t>()[i] != 0;
  }
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (is_bool(out) || out.dtype == ERT_U8) {
    to_bytes(in, out);
  } else if (out.dtype == ERT_I64) {
    is_i32(in) ? widen<int32_t, int64_t>(in, out) : widen<uint8_t, int64_t>(in, out);
  } else {
    is_i32(in) ? widen<int32_t, int32_t>(in, out) : widen<uint8_t, int32_t>(in, out);
  }
  return ERT_OK;
}

}  // namespace export_int_op
}  // namespace

const OpDef kOpExportInt = {"ExportInt", export_int_op::prepare, export_int_op::run, nullptr, 0};

}  // namespace ert
