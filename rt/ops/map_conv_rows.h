// What MapConv and MapDepthwiseConv have in common: their operands, and a row of outputs after the other, in fp32, with what follows the sums: residual,
// activation, and quantization where the result is a map.
#pragma once

#include "rt/ops/conv_activation.h"
#include "rt/ops/map_lines.h"

namespace ert::ops {

namespace mcv = params::map_conv;

struct MapConvShape {
  Window w;
  LineShape lines;
  int64_t taps_read;

  int64_t row_floats() const { return int64_t{w.columns.out} * w.out_channels; }
  int64_t rows_out() const { return int64_t{w.batch} * w.rows.out; }
};

inline bool writes_map(const OpContext& c) { return c.n_outputs == 2; }

// taps_of: positions that the kernels read for so many that count.
template <class Taps>
bool read_map_conv(const OpContext& c, const Taps& taps_of, MapConvShape* s) {
  if (!read_window(c, mcv::kFirstWindowInt, input(c, mcv::kQ), output(c, mcv::kMap), &s->w)) return false;
  s->taps_read = taps_of(int64_t{s->w.columns.kernel});
  if (s->w.channels < 1 || s->w.out_channels < 1) return false;
  if (s->w.columns.dilation > params::kMaxExactDepth) return false;  // so that sizes of lines fit 64 bits
  s->lines = LineShape::of(s->w, s->taps_read);
  return true;
}

// Everything but the weights, which have `columns` sums.
bool map_conv_operands_ok(const OpContext& c, const MapConvShape& s, int64_t columns);

// Scratch of a thread: a row of results, unless they are the output, then what kernels use, then copies of rows.
bool set_map_conv_scratch(const OpContext& c, const MapConvShape& s, size_t* scratch);

// Rows are copied once for each row of the kernel, at most.
uint64_t copied_bytes(const MapConvShape& s);

// The weights of one kernel row after the other, and the steps of the kernel that multiplies them.
struct MapConvWeights {
  bool depthwise;
  kernels::PackedWeights of_first;  // of the kernel's first row
  size_t matrix, columns;           // bytes and sums of each row
  size_t depth;                     // values of an output and row; depthwise: taps
  size_t tap, step;                 // bytes from tap to tap (depthwise) and from output to output
};

// Each row of outputs: sums, biases, residual, activation, and quantization where it is a map's.
ert_status run_map_conv(const OpContext& c, const MapConvShape& s, const MapConvWeights& weights);

}  // namespace ert::ops
