// See error_detail.h.
#include "rt/base/error_detail.h"

namespace ert {

ert_error_detail no_error() {
  ert_error_detail d{};
  d.input = d.output = d.dim = d.op = d.axis = -1;
  d.element = -1;
  return d;
}

ert_error_detail about(ert_fault fault, Side side, uint32_t index) {
  ert_error_detail d = no_error();
  d.fault = static_cast<uint32_t>(fault);
  (side == Side::kInput ? d.input : d.output) = static_cast<int32_t>(index);
  return d;
}

ert_error_detail about(ert_fault fault, Side side, uint32_t index, int64_t value, int64_t lowest, int64_t highest) {
  ert_error_detail d = about(fault, side, index);
  d.value = value;
  d.lowest = lowest;
  d.highest = highest;
  return d;
}

ert_error_detail about_axis(Side side, uint32_t index, uint32_t axis, int64_t size, int64_t lowest, int64_t highest) {
  ert_error_detail d = about(ERT_FAULT_AXIS, side, index, size, lowest, highest);
  d.axis = static_cast<int32_t>(axis);
  return d;
}

ert_error_detail about_op(uint32_t op) {
  ert_error_detail d = no_error();
  d.fault = ERT_FAULT_OP;
  d.op = static_cast<int32_t>(op);
  return d;
}

ert_status refuse(ert_status status, const ert_error_detail& detail, ert_error_detail* why) {
  *why = detail;
  return status;
}

}  // namespace ert
