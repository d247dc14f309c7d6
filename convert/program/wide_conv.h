// When convolutions in W12A13 read their map in place: wide_conv.cc.
#pragma once

#include <cstdint>

namespace edgeconv {

// Values that lie side by side in each row of the kernel: sums of fewer would be joined in fp32 for the most part.
constexpr int64_t kLeastWideRun = 8;

}  // namespace edgeconv
