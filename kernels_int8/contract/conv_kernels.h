// The kernels of convolutions, as a table beside KernelTable: a program without convolutions links none of them. What holds for every kernel
// of kernel_table.h holds here.
#pragma once

#include <stddef.h>

namespace ert::kernels {

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
};
using DepthwiseFn = void (*)(const DepthwiseArgs& a);

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
};
using DirectFn = void (*)(const DirectArgs& a);

struct ConvKernels {
  DepthwiseFn depthwise;
  DirectFn direct;
};

}  // namespace ert::kernels
