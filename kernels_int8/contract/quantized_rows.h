// Activations of a quantized Linear: how they are multiplied, and the memory of their rows (NUMERICS.md, sections 2 and 3).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/math_constants.h"
#include "kernels_int8/contract/packed_layout.h"

namespace ert::kernels {

// kW8A8: 8 bits with a zero point. kW8A16: symmetric, 16256 steps to either side, as two digits of 7 bits or as one int16. Weights are int8 in both.
// kW12A13: symmetric, 4095 steps to either side, as int16; weights in N16K2, 2047 steps to either side.
enum class Precision : uint8_t { kW8A8, kW8A16, kW12A13, kCount };

// A precision multiplies weights of these layouts.
constexpr bool has_layout(Precision p, Layout l) { return (p == Precision::kW12A13) == (l == Layout::kN16K2); }

// Parameters of one quantized row: value = (q - zero_point) * scale. The zero point of kW8A16 and kW12A13 is 0.
struct RowScale {
  float scale;
  int32_t zero_point;
};

// The scale of a row whose range is below kZeroRange, or overflows or is NaN: one NaN for all, without payload, which exponentials would keep.
inline float scale_of_no_range(float range) { return range < kZeroRange ? 0.0f : __builtin_nanf(""); }

// A row of kW8A8 is a row of fours: values 4i .. 4i + 3 take the same number of bytes each, one four's behind the other's, whatever k is. So a piece
// of a row from a multiple of four on can be copied to a multiple of four of another row, which then has the same scale (rt/ops/conv.cc); all pieces of a row come from one row, because a
// level may give rows one of two forms.

// A row of kW12A13 has int16 values side by side on every level, whatever it is aligned to.

// Most bytes that a row of k values takes on any level, so that the RAM formula does not depend on the CPU. A multiple of 64.
constexpr size_t max_quantized_row_bytes(Precision precision, size_t k) {
  return (precision == Precision::kW8A16 ? 2 : 1) * round_up(2 * k, 64);
}

}  // namespace ert::kernels
