// The elementwise functions that have kernels. NUMERICS.md section 4 defines each. The numbers are part of the blob format: only append.
#pragma once

#include <stdint.h>

namespace ert::kernels {

enum class Unary : uint8_t {
  kRelu,
  kGeluErf,
  kGeluTanh,
  kTanh,
  kSigmoid,
  kSilu,
  kQuickGelu,
  kExp,
  kErf,
  kLog,
  kSin,
  kCos,
  kSoftplus,
  kMish,
  kHardSwish,
  kHardSigmoid,
  kElu,
  kSelu,
  // For readers that round the result to 8 bits:
  kGeluCoarse,  // of kGeluErf
  kSigmoidCoarse,
  kTanhCoarse,
  kRelu6,
  kCount
};

}  // namespace ert::kernels
