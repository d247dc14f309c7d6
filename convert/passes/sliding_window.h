// Kernel, strides and padding of a convolution or pool with all defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/attributes.h"

namespace edgeconv {

struct Window {
  std::vector<int64_t> kernel, strides, dilations, begin, end;  // per spatial axis; begin and end: padding
  std::vector<int64_t> overhang;                                // what ceil_mode lets the last window reach beyond the padding
  size_t axes() const { return kernel.size(); }
  int64_t positions() const;  // of the kernel
  int64_t reach(size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

// For an input [N, C, spatial..]; nullopt where the padding depends on sizes that are not known.
std::optional<Window> plan_window(const ConvAttrs& a, const Shape& x, std::vector<int64_t> kernel);

}  // namespace edgeconv
