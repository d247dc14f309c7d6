// The parts of simd/row_parts16.h as functions of four lanes, one copy of each for all kernels: sixteen lanes are half of Helium's registers,
// so that an exponential of them lives in memory. Only sums keep the sixteen of the contract.
#pragma once

#include <stddef.h>

#define ERT_ROW_PARTS

namespace ert::kernels {

float sum_f32_f32_1x16_mve(size_t n, const float* src);
// What exponentials of a row are shifted by: 0 where nothing is above -inf, so that NaN alone stays NaN.
float shift_of_row(size_t n, const float* src);
void scale_row(size_t n, float factor, float* dst);
// dst = exp(src - shift), exactly 0 below kExpLow; NaN stays NaN. src may be dst.
void exp_shifted(size_t n, const float* src, float shift, float* dst);
// The same with the exponential of int8 attention's weights.
void exp_of_weights(size_t n, const float* src, float shift, float* dst);
// A row becomes its exponentials, shifted; returns their sum.
inline float exp_in_place(size_t n, float* row) {
  exp_shifted(n, row, shift_of_row(n, row), row);
  return sum_f32_f32_1x16_mve(n, row);
}

}  // namespace ert::kernels
