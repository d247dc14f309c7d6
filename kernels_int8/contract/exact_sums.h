// How many products an int32 sum holds exactly, where kernels cut their sums because of it.
#pragma once

#include <stddef.h>

namespace ert::kernels {

// Keys of int8 attention: |P| <= 16256, |v| <= 127, and 1024 * 16256 * 127 < 2^31. More keys are summed in blocks of so many (NUMERICS.md section 6).
constexpr size_t kKeyBlock = 1024;

// Rows of W8A16 on levels that multiply int16 (avx2, dsp). Rows of up to kOneSumMaxK values hold the 15-bit value itself: its single
// int32 sum is exact (1040 * 16256 * 127 < 2^31), and so are the two digit sums in fp32 (1040 * 127 * 127 < 2^24), therefore
// float(sum) == float(hi) * 128 + float(lo). Longer rows hold the two digits, row_bytes / 2 apart.
constexpr size_t kOneSumMaxK = 1040;

}  // namespace ert::kernels
