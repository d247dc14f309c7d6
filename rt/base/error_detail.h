// What a refusal says beyond its status: small functions that fill an ert_error_detail and return the status.
#pragma once

#include "rt/include/ert.h"

namespace ert {

enum class Side { kInput, kOutput };

// Out of line: there are many refusals, and none is in a hurry.
ert_error_detail no_error();
ert_error_detail about(ert_fault fault, Side side, uint32_t index);
ert_error_detail about(ert_fault fault, Side side, uint32_t index, int64_t value, int64_t lowest, int64_t highest);
ert_error_detail about_axis(Side side, uint32_t index, uint32_t axis, int64_t size, int64_t lowest, int64_t highest);
ert_error_detail about_op(uint32_t op);

// For one-line refusals: keeps the detail, passes the status on.
ert_status refuse(ert_status status, const ert_error_detail& detail, ert_error_detail* why);

}  // namespace ert
