// Kernels over 8-bit maps. A map is pixels of u8 channels, channels last, and a RowScale for each row of pixels: a row is quantized as one row of W8A8 is
// (NUMERICS.md section 2). Its bytes are the same on every level, unlike those of the rows of a Linear, because maps outlive an op. What holds for every
// kernel of kernel_table.h holds here; bytes need no alignment. A scale may be any float, a NaN too; a zero point is in [0, 255].
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/clamp.h"
#include "kernels_int8/contract/isa.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/quantized_rows.h"

namespace ert::kernels {

// Weights of a convolution over maps: for each row of the kernel a packed matrix, one behind the other, each with map_columns(filters) columns.
constexpr size_t kMapColumns = 16;  // whole panels of every layout
constexpr size_t map_columns(size_t filters) { return round_up(filters, kMapColumns); }
constexpr size_t kMostMapRows = 16;  // of a kernel

// Bytes that a kernel may read behind the last byte that counts, and only there: they meet weights that are zero.
constexpr size_t kMapSlack = 64;

// What a convolution may use while it runs, on cores whose stacks are small.
constexpr size_t kMapConvScratch = 640;

// Rows of a kernel of several, each of at most so many bytes, are stored as N16K4 for every CPU: lines of more k would hold zeros for the most part. What levels have for such rows reads that layout.
constexpr size_t kShortDepth = 12;

// Outputs of one row of a convolution. With acc(i) = the exact sum over `depth` of (q - zero_point) * weight for row i of the kernel:
//   t = float(acc(0)) * scales[0].scale, then for i in order: + float(acc(i)) * scales[i].scale; without rows +0
//   dst[p, n] = t * w.scale[n] + w.bias[n], clamped. Multiply and add are rounded apart.
struct MapConvArgs {
  size_t outputs, filters;
  size_t rows;   // of the kernel, that lie inside the map: at most kMostMapRows
  size_t depth;  // bytes of a patch in one row: taps * channels, at most 65000; padding lies in the row as its zero point
  const uint8_t* const* src;  // [in] [rows]: the patch of output 0 in each row; kMapSlack bytes behind the last patch can be read
  const RowScale* scales;     // [in] [rows]
  size_t src_step;            // bytes between patches of neighbouring outputs
  PackedWeights
      w;       // [in] data and colsum: of the first of these rows, [rows * map_columns(filters), depth]; scale, bias: [filters]
  float* dst;  // [out] float [outputs, filters]
  ptrdiff_t dst_stride;
  Clamp clamp;
  // kMapConvScratch bytes, aligned to 8. Levels of profile M need them. Others may keep there what they found out about weights, or null: the first 8
  // are zero before the first call, and only calls with the same weights, filters and depth write there until the last one.
  void* scratch = nullptr;
  bool signed_bytes = false;  // of src: q - 128; only where reads_signed_maps() says so
};
using MapConvFn = void (*)(const MapConvArgs& a);

// Whether map_conv of a level takes rows of signed bytes: what multiplies those would otherwise make them from all rows of the kernel, for every row of outputs.
constexpr bool reads_signed_maps(Isa isa, Layout layout) { return layout == Layout::kN16K4 && is_neon(isa); }

// Outputs of one row of a depthwise convolution: the same with acc(i)[p, c] = sum over taps of (q - zero_point) * weight[i, c, tap].
// Weights are packed N16K4 [rows * map_columns(channels), taps]: of 16 channels the bytes of four taps each, taps padded to fours with zeros.
struct MapDepthwiseArgs {
  size_t outputs, channels;
  size_t rows, taps;  // rows inside the map: at most kMostMapRows; taps at most 64
  const uint8_t* const*
      src;  // [in] [rows]: tap 0 of output 0 in each row; can be read for taps up to the next four, and kMapSlack bytes behind
  const RowScale* scales;    // [in] [rows]
  size_t src_tap, src_step;  // bytes between taps; between outputs
  PackedWeights w;           // [in] of the first of these rows; scale, bias: [channels]
  float* dst;                // [out] float [outputs, channels], pixels side by side
  Clamp clamp;
};
using MapDepthwiseFn = void (*)(const MapDepthwiseArgs& a);

// A row of a map: q of quantize_rows for values times factors, and its scale. Where that is NaN, q and zero point are 0.
struct MapQuantizeArgs {
  size_t pixels, channels;
  const float* src;      // [in] float [pixels, channels]
  const float* factors;  // [in] float [channels]; or null
  uint8_t* dst;          // [out] [pixels, channels]; nothing behind is written
  RowScale* scale;       // [out]
  bool clamped = false;  // values are those of kRelu or kRelu6 and there are no factors: none is below +0, but NaN may have any sign
};
using MapQuantizeFn = void (*)(const MapQuantizeArgs& a);

// For kernels that have found the scale: what a NaN is rounded to differs between levels, and a blob may read the bytes with scales of another map.
inline bool cleared_for_nan(const MapQuantizeArgs& a) {
  if (a.scale->scale == a.scale->scale) return false;
  memset(a.dst, 0, a.pixels * a.channels);
  return true;
}

// The values of a row: x = float(q - zero_point) * scale, then times factors; dst = x, or dst + x, clamped.
struct MapRestoreArgs {
  size_t pixels, channels;
  const uint8_t* src;  // [in] [pixels, channels]; nothing behind is read
  RowScale scale;
  const float* factors;  // [in] float [channels]; or null
  float* dst;            // [out], with add [in, out]: float [pixels, channels]
  bool add;
  Clamp clamp;
};
using MapRestoreFn = void (*)(const MapRestoreArgs& a);

// Adds a row to the sums of channels: t[c] = t[c] + float(sum over pixels of q - zero_point) * scale.
struct MapSumArgs {
  size_t pixels, channels;  // pixels at most 2^22, whose sums of bytes fit int32
  const uint8_t* src;       // [in] [pixels, channels]; nothing behind is read
  RowScale scale;
  float* t;  // [in, out] float [channels]
};
using MapSumFn = void (*)(const MapSumArgs& a);

}  // namespace ert::kernels
