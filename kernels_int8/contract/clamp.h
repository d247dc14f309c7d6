#pragma once

#include <stdint.h>

namespace ert::kernels {

// What a kernel does to a result before it is stored: nothing, or Unary::kRelu, Unary::kRelu6 as those are defined.
enum class Clamp : uint8_t { kNone, kRelu, kRelu6 };

}  // namespace ert::kernels
