// All ops that are linked in, by code: those of op_list.inc, or of the list that ert_link_only_ops names.
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/op_params.h"

#ifdef ERT_OP_LIST
#define ERT_OWN_OP_TABLE 1
#else
#define ERT_OP_LIST "rt/ops/op_list.inc"
#endif

namespace ert {
namespace {

struct Row {
  uint16_t code;
  const OpDef* def;
};

constexpr Row kRows[] = {
#define ERT_OP(code, name) {code, &kOp##name},
#include ERT_OP_LIST
#undef ERT_OP
};
constexpr uint16_t kCount = sizeof kRows / sizeof kRows[0];

// Codes are given in order from 1, so the row of a full list is found without a search; a gap only costs one.
const Row* row_of(uint16_t code) {
  if (code >= 1 && code <= kCount && kRows[code - 1].code == code) return &kRows[code - 1];
  for (const Row& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

const OpDef* find_op(uint16_t code) {
  const Row* row = row_of(code);
  return row == nullptr ? nullptr : row->def;
}

#if ERT_OWN_OP_TABLE && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
// Firmware that names its ops has no room for kernels that its core never takes (dispatch.h).
const kernels::KernelTable* kernels::forced_reference() { return nullptr; }

// Nor for those of W12A13, unless its list has the op that says so.
namespace {
constexpr bool names_wide_conv() {
  for (const Row& row : kRows)
    if (row.code == static_cast<uint16_t>(params::OpCode::kWideConv)) return true;
  return false;
}
}  // namespace
namespace kernels {
extern const LinearKernels kWideLinear;
const LinearKernels* linked_wide() { return names_wide_conv() ? &kWideLinear : nullptr; }
}  // namespace kernels
#endif

}  // namespace ert
