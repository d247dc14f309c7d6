// Kernel, strides and padding of a convolution or pool with all defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/attributes.h"

namespace edgeconv {

struct Window {
  std::vector<int64_t> kernel, strides, dilations;  // per spatial axis, as all of this
  std::vector<DimExpr> begin, end;                  // padding: automatic padding depends on the size. A negative end crops
  std::vector<DimExpr> overhang;                    // what ceil_mode lets the last window reach beyond the padding, or leave of it
  size_t axes() const { return kernel.size(); }
  int64_t reach(size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

// For an input [N, C, spatial..]; sizes that are not known make padding symbolic.
Window plan_window(const ConvAttrs& a, const Shape& x, std::vector<int64_t> kernel);

// The same with padding of fixed size; nullopt where it depends on sizes that are not known.
std::optional<WindowAttrs> with_fixed_padding(const Window& w);

}  // namespace edgeconv
