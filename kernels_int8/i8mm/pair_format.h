// Two quantized rows as smmla takes them: eight bytes of the first, the same eight of the second, and so on. The first half of k stands in the
// memory of the first row and the second half in that of the second one, so that what a caller keeps behind a row stays where it is. Of W8A16 each
// digit is such a pair in its half of the rows.
#pragma once

#include "kernels_int8/neon/row_format.h"

namespace ert::kernels {

// Values whose pairs stand in the memory of the first row: a multiple of 32.
constexpr size_t half_of_row(size_t k) { return digit_bytes(k) / 2; }

// Of a pair at its first row: where value i, a multiple of eight, of the first row stands; eight bytes behind it, that of the second.
constexpr size_t pair_place(size_t i, size_t half, size_t row_bytes) { return i < half ? 2 * i : row_bytes + 2 * (i - half); }

}  // namespace ert::kernels
