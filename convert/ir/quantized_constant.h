// The integers behind a constant that came out of a file already quantized. The constant itself holds their fp32 values, so
// that passes and the interpreter need not know; packing takes the integers, unchanged.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

struct CodeRange {
  float low, high;
};

// Least and largest code of an integer type of 8 or 16 bits, of which `bits` are used (0: all); nothing for other types.
std::optional<CodeRange> code_range(DType t, int bits);

struct QuantizedConstant {
  Tensor codes;              // int8, the dims of the constant, in [-127, 127]; value = code * scale
  std::vector<float> scale;  // one, or one per index of `axis`
  size_t axis = 0;
};

enum class CodesFit { kExactly, kClamped, kNot };  // kClamped: values one step beyond 127 were moved to +-127

// x (8 bits), scale and zero_point (empty: 0) of one element, or one per index of `axis`. Null and kNot when x - zero_point needs
// more than 8 bits, as it does for unsigned weights with a zero point far from 128.
std::shared_ptr<const QuantizedConstant> symmetric_codes(const Tensor& x, const std::vector<float>& scale,
                                                         const std::vector<int64_t>& zero_point, size_t axis, CodesFit* fit);

std::shared_ptr<const QuantizedConstant> transposed_codes(const QuantizedConstant& q, const std::vector<int64_t>& perm);

// One scale per index of the last axis of a matrix, or nothing when the scales run along the rows.
std::vector<float> column_scales(const QuantizedConstant& q);
// The same for the rows.
std::vector<float> row_scales(const QuantizedConstant& q);

}  // namespace edgeconv
