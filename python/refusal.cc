#include "python/refusal.h"

#include <cstring>

namespace edgeconv_python {

namespace {

std::string input_name(const ert_model& m, int32_t i) {
  ert_value_info v{};
  v.struct_size = sizeof v;
  return i >= 0 && ert_model_input(&m, static_cast<uint32_t>(i), &v) == ERT_OK ? "input '" + std::string(v.name) + "'"
                                                                               : "an input";
}

std::string dim_name(const ert_model& m, int32_t i) {
  ert_dim_info d{};
  d.struct_size = sizeof d;
  return i >= 0 && ert_model_dim(&m, static_cast<uint32_t>(i), &d) == ERT_OK ? "dim '" + std::string(d.name) + "'" : "a dim";
}

std::string range(const ert_error_detail& e) {
  return e.lowest == e.highest ? std::to_string(e.lowest) : std::to_string(e.lowest) + " to " + std::to_string(e.highest);
}

std::string reason(const ert_model& m, const ert_error_detail& e) {
  const std::string input = input_name(m, e.input), value = std::to_string(e.value);
  switch (e.fault) {
    case ERT_FAULT_UNBOUND: return input + " is not given";
    case ERT_FAULT_DTYPE:
      return input + " is " + dtype_name(static_cast<uint32_t>(e.value)) + ", the model takes " +
             dtype_name(static_cast<uint32_t>(e.lowest));
    case ERT_FAULT_RANK: return input + " has " + value + " axes, the model takes " + range(e);
    case ERT_FAULT_AXIS: return input + ": axis " + std::to_string(e.axis) + " has " + value + " elements, it takes " + range(e);
    case ERT_FAULT_DIM:
      return dim_name(m, e.dim) + " is " + value + ", this blob takes " + range(e) +
             "; edgeconv.convert(..., dim='NAME=MAX') sets the largest";
    case ERT_FAULT_RANGE: return input + ": element " + std::to_string(e.element) + " is " + value + ", allowed is " + range(e);
    case ERT_FAULT_NOT_FINITE: return input + ": element " + std::to_string(e.element) + " is NaN or infinite";
    case ERT_FAULT_OVERLAP: return "arrays share memory that they must not share: pass copies";
    case ERT_FAULT_OP:
      return "op " + std::to_string(e.op) + " of the model ended the run: an index that it computed is out of range";
    default: return {};
  }
}

}  // namespace

// ert_status_str is "NAME: meaning".
std::string status_name(ert_status s) {
  const char* text = ert_status_str(s);
  const char* end = std::strchr(text, ':');
  return end ? std::string(text, end) : std::string(text);
}

const char* dtype_name(uint32_t dtype) {
  switch (dtype) {
    case ERT_F32: return "float32";
    case ERT_I32: return "int32";
    case ERT_I64: return "int64";
    case ERT_U8: return "uint8";
    case ERT_I8: return "int8";
    case ERT_BOOL: return "bool";
    case ERT_I16: return "int16";
    default: return "?";
  }
}

void refuse_run(ert_status s, const ert_model& m, const ert_context& c) {
  ert_error_detail e{};
  e.struct_size = sizeof e;
  std::string why;
  if (ert_last_error(&c, &e) == ERT_OK) why = reason(m, e);
  throw Refusal(s, why.empty() ? ert_status_str(s) : why);
}

}  // namespace edgeconv_python
