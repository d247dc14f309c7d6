// Products of 12-bit weights and 13-bit activations (Precision::kW12A13), which stand for fp32 where 8 bits do not do: sums are exact, half of the bytes are
// moved, and an instruction that multiplies int16 does two products where one of floats does one. One kind of kernel serves Linears and convolutions.
// What holds for every kernel of kernel_table.h holds here.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/clamp.h"
#include "kernels_int8/contract/packed_layout.h"

// Cores of profile M have no room for what few of their models use: the kernels of Linears lie apart from the table there (dispatch.h, linked_wide).
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ERT_WIDE_APART 1
#else
#define ERT_WIDE_APART 0
#endif

namespace ert::kernels {

// Products that one int32 sum takes: kWideBlock * 2047 * 4095 < 2^31. Weights of a blob may be any int16: sums wrap then, with the same bits on every level.
constexpr size_t kWideBlock = 256;
// Bytes behind the last value of a row that quantize_rows may write.
constexpr size_t kWideSlack = 64;

// Pairs of a run of values, of which the last may have one value.
constexpr size_t wide_pairs(size_t run) { return (run + 1) / 2; }

// Outputs in lines, each of which has the sums of some runs of values: of a Linear one run, of a convolution the taps of each row of the kernel.
//   t = +0; for i in rows, for j in taps, for each piece of at most kWideBlock values of the run, in order:
//     t = t + float(sum of the piece, int32 that wraps) * scales[l * scale_line + p * scale_step + i * scale_row]
//   dst[l, p, n] = t * w.scale[n] + w.bias[n], clamped. Multiply and add are rounded apart.
// The run of output p of line l, row i and tap j starts at src + l * src_line + p * src_step + i * src_row + j * src_tap, in values.
struct WideArgs {
  size_t lines, outputs, filters;
  size_t rows, taps, run;
  const int16_t* src;  // [in] aligned to 2; nothing behind a run counts, whatever the weight there is
  ptrdiff_t src_line, src_step, src_row, src_tap;
  const float* scales;  // [in]
  ptrdiff_t scale_line, scale_step, scale_row;
  PackedWeights w;  // [in] N16K2 of rows * taps * 2 * wide_pairs(run) values a column; without column sums
  float* dst;       // [out] float [lines, outputs, filters]
  ptrdiff_t dst_line, dst_stride;
  Clamp clamp;
};
using WideFn = void (*)(const WideArgs& a);

}  // namespace ert::kernels
