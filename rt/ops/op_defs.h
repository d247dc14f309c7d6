// Declares the OpDef of every op, so that each ops/<name>.cc defines an object with external linkage and the table in
// rt/ops/op_table.cc finds it.
#pragma once

#include "rt/ops/op.h"

namespace ert {
#define ERT_OP(code, name) extern const OpDef kOp##name;
#include "rt/ops/op_list.inc"
#undef ERT_OP
}  // namespace ert
