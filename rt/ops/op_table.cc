// All ops that are linked in, by code: those of op_list.inc, or of the list that ert_link_only_ops names.
#include "rt/ops/op_defs.h"

#ifndef ERT_OP_LIST
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

}  // namespace ert
