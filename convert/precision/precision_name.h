// The names of precisions, as options, reports, certificates and JSON spell them.
#pragma once

#include <cstdint>

#include "rt/op_params.h"

namespace edgeconv {

// Of params::linear::Precision.
inline const char* precision_name(int32_t p) {
  return p == ert::params::linear::kInt8 ? "int8" : p == ert::params::linear::kInt8A16 ? "w8a16" : "fp32";
}

}  // namespace edgeconv
