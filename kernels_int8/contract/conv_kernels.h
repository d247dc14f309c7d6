// The kernels of convolutions, as a table beside KernelTable: a program without convolutions links none of them. What holds for every kernel
// of kernel_table.h holds here.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/clamp.h"
#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/quantized_rows.h"
#include "kernels_int8/contract/wide_kernels.h"

namespace ert::kernels {

// A run of outputs of one row of a depthwise convolution, all of which read the same taps of the kernel:
//   dst[p, c] = start[c], then for i in order, for j in order: + src[i * src_row + j * src_tap + p * src_step + c] * weights[i * weights_row + j * pixel + c]
// with start = bias, or +0. Multiply and add are rounded apart (NUMERICS.md section 3).
struct DepthwiseArgs {
  size_t outputs, channels;  // pixels of dst; channels of each that are done
  size_t rows, taps;         // of the kernel: rows, and taps of a row, that lie inside the input for all these outputs
  const float* src;          // [in] what output 0 reads first
  ptrdiff_t src_row;         // floats between the input rows of neighbouring kernel rows
  ptrdiff_t src_tap;         // floats between the inputs of neighbouring taps
  ptrdiff_t src_step;        // floats between the inputs of neighbouring outputs
  size_t pixel;              // floats between neighbouring outputs, and between neighbouring taps of weights; at least channels
  const float* weights;      // [in] float [rows, taps, pixel]
  ptrdiff_t weights_row;     // floats between rows of weights, at least taps * pixel
  const float* bias;         // [in] float [channels]; or null
  float* dst;                // [out] float [outputs, pixel]
  Clamp clamp = Clamp::kNone;
};
using DepthwiseFn = void (*)(const DepthwiseArgs& a);

// Whole rows of outputs of a depthwise kernel of three columns and at most three rows: the sums of DepthwiseArgs, of which the first outputs
// leave out tap 0 and the last ones tap 2, so that narrow maps need no calls for their edges. Rows that meet the same rows of the kernel can be done
// in one call: what two of them read is then still near.
struct Depthwise3Args {
  size_t lines;              // rows of outputs
  size_t outputs, channels;  // of a line
  size_t rows;            // of the kernel, that lie inside the input: 1 to 3
  size_t before, behind;  // outputs without tap 0, and without tap 2; at most `outputs` together
  const float* src;       // [in] what output 0 reads at tap 1 of the first row
  ptrdiff_t src_row, src_tap, src_step;
  ptrdiff_t src_line;    // floats between what neighbouring lines read
  const float* weights;  // [in] float [rows, 3, channels]
  const float* bias;     // [in] float [channels]; or null
  float* dst;            // [out] float [lines, outputs, channels]
  Clamp clamp;
};
using Depthwise3Fn = void (*)(const Depthwise3Args& a);

// A run of outputs of one row of a dense convolution, all of which read the same taps of the kernel, from a map of any layout:
//   acc = +0, then for i, for j, for c in order: + src[i * src_row + j * src_tap + c * src_channel + p * src_step] * weights[i * weights_row + (j * channels + c) * filters + n]
//   dst[p, n] = acc + bias[n], or acc. Multiply and add are rounded apart (NUMERICS.md section 3).
struct DirectArgs {
  size_t outputs, filters;  // pixels of dst; channels of one
  size_t rows, taps;        // of the kernel: rows, and taps of a row, that lie inside the input for all these outputs
  size_t channels;          // of the input
  const float* src;         // [in] what output 0 reads first
  ptrdiff_t src_row;        // floats between the input rows of neighbouring kernel rows
  ptrdiff_t src_tap;        // floats between the inputs of neighbouring taps
  ptrdiff_t src_channel;    // floats between neighbouring channels
  ptrdiff_t src_step;       // floats between the inputs of neighbouring outputs
  const float* weights;     // [in] float [rows, taps, channels, filters]
  ptrdiff_t weights_row;    // floats between rows of weights, at least taps * channels * filters
  const float* bias;        // [in] float [filters]; or null
  float* dst;               // [out] float [outputs, filters], pixels side by side
  Clamp clamp = Clamp::kNone;
};
using DirectFn = void (*)(const DirectArgs& a);

// A rectangle of a map as one row of W8A8 of the same table, row by row and pixel by pixel: as QuantizeRowsFn gives for values times the factors of their
// channels, with zeros for the pixels that are not inside the map. A value takes one byte.
struct RectangleArgs {
  size_t rows, columns, channels;                         // channels of a pixel that are taken
  size_t first_row, last_row, first_column, last_column;  // of the rectangle, inside the map; may be empty
  const float* src;                                       // [in] first pixel inside
  ptrdiff_t src_row, src_pixel;                           // floats between rows and pixels of the rectangle
  const float* inv_smooth;                                // [in] float [channels]; or null
  uint8_t* dst;                                           // [out] rows * columns * channels bytes
  RowScale* scale;                                        // [out]
};
using RectangleFn = void (*)(const RectangleArgs& a);

// A run of outputs of an int8 convolution that reads quantized pixels where they lie: as a W8A8 GEMM of the same table whose rows are, for i, for j in
// order, the `channels` values at src + p * src_step + i * src_row + j * src_tap; and then clamped. Offsets in bytes of a row of W8A8 of that table,
// in which a value takes one byte.
struct WindowArgs {
  size_t outputs, filters;
  size_t rows, taps, channels;  // of the kernel; of a pixel, a multiple of 4
  const uint8_t* src;           // [in] of one quantized row: all values have one scale
  size_t src_row, src_tap, src_step;
  RowScale scale;
  PackedWeights w;  // [in] of rows * taps * channels values, N16K4
  float* dst;       // [out] float [outputs, filters]
  ptrdiff_t dst_stride;
  Clamp clamp;
};
using WindowFn = void (*)(const WindowArgs& a);

struct ConvKernels {
  DepthwiseFn depthwise;
  DirectFn direct;
  // Null on levels without them: depthwise does the rows in parts, and a GEMM takes patches that are copied.
  Depthwise3Fn depthwise3;
  RectangleFn rectangle;  // both or none
  WindowFn window;
  // Over 8-bit maps, never null. map_conv reads every layout, or is the reference's where the level has no kernel for one.
  MapConvFn map_conv[static_cast<size_t>(Layout::kCount)];
  MapDepthwiseFn map_depthwise;
  MapQuantizeFn map_quantize;
  MapRestoreFn map_restore;
  MapSumFn map_sum;  // null on levels without it: MapMean adds up itself
  WideFn wide;       // never null
};

}  // namespace ert::kernels
