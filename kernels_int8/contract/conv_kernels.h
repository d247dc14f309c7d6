// The kernels of convolutions, as a table beside KernelTable: a program without convolutions links none of them. What holds for every kernel
// of kernel_table.h holds here.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert::kernels {

// What a convolution does to a result before it is stored: nothing, or Unary::kRelu, Unary::kRelu6 as those are defined.
enum class Clamp : uint8_t { kNone, kRelu, kRelu6 };

// A run of outputs of one row of a depthwise convolution, all of which read the same taps of the kernel:
//   dst[p, c] = start[c], then for i in order, for j in order: + src[i * src_row + j * src_tap + p * src_step + c] * weights[i * weights_row + j * channels + c]
// with start = bias, or +0. Multiply and add are rounded apart (NUMERICS.md section 3).
struct DepthwiseArgs {
  size_t outputs, channels;  // pixels of dst; channels of a pixel
  size_t rows, taps;         // of the kernel: rows, and taps of a row, that lie inside the input for all these outputs
  const float* src;          // [in] what output 0 reads first
  ptrdiff_t src_row;         // floats between the input rows of neighbouring kernel rows
  ptrdiff_t src_tap;         // floats between the inputs of neighbouring taps
  ptrdiff_t src_step;        // floats between the inputs of neighbouring outputs
  const float* weights;      // [in] float [rows, taps, channels]
  ptrdiff_t weights_row;     // floats between rows of weights, at least taps * channels
  const float* bias;         // [in] float [channels]; or null
  float* dst;                // [out] float [outputs, channels], pixels side by side
  Clamp clamp = Clamp::kNone;
};
using DepthwiseFn = void (*)(const DepthwiseArgs& a);

// A whole row of outputs of a depthwise kernel of three columns and at most three rows: the sums of DepthwiseArgs, of which the first outputs
// leave out tap 0 and the last ones tap 2, so that narrow maps need no calls for their edges.
struct Depthwise3Args {
  size_t outputs, channels;
  size_t rows;            // of the kernel, that lie inside the input: 1 to 3
  size_t before, behind;  // outputs without tap 0, and without tap 2; at most `outputs` together
  const float* src;       // [in] what output 0 reads at tap 1 of the first row
  ptrdiff_t src_row, src_tap, src_step;
  const float* weights;  // [in] float [rows, 3, channels]
  const float* bias;     // [in] float [channels]; or null
  float* dst;            // [out] float [outputs, channels]
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

struct ConvKernels {
  DepthwiseFn depthwise;
  DirectFn direct;
  Depthwise3Fn depthwise3;  // null on levels that have too few registers for it: depthwise does the same in parts
};

}  // namespace ert::kernels
