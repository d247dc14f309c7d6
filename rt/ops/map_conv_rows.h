// What MapConv and MapDepthwiseConv have in common: their operands, and a row of outputs after the other, in fp32, with what follows the sums: residual,
// activation, and quantization where the result is a map.
#pragma once

#include "rt/ops/conv_activation.h"
#include "rt/ops/map_lines.h"
#include "rt/ops/parallel_blocks.h"

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

inline bool residual_ok(const OpContext& c, int64_t n) {
  const Operand &q = input(c, mcv::kResidual), &scales = input(c, mcv::kResidualScales),
                &factors = input(c, mcv::kResidualFactors);
  if (!q.present()) return !scales.present() && !factors.present();
  return is_map(q, scales) && same_shape(q, output(c, mcv::kMap)) && factors_ok(factors, n);
}

// Everything but the weights, which have `columns` sums.
inline bool map_conv_operands_ok(const OpContext& c, const MapConvShape& s, int64_t columns) {
  const Operand &scale = input(c, mcv::kScale), &colsum = input(c, mcv::kColsum), &bias = input(c, mcv::kBias);
  const Operand &out = output(c, mcv::kMap), &factors = input(c, mcv::kFactors);
  const int64_t n = s.w.out_channels;
  if (!is_map(input(c, mcv::kQ), input(c, mcv::kScales)) || s.w.rows.kernel > static_cast<int32_t>(kernels::kMostMapRows))
    return false;
  if (!activation_and_floats_ok(c, c.ints[mcv::kActivation], 0)) return false;
  if (writes_map(c) ? !is_map(out, output(c, mcv::kMapScales)) : !is_f32(out) || factors.present()) return false;
  if (!is_f32(scale) || !is_vector(scale, n) || !is_i32(colsum) || !is_vector(colsum, columns)) return false;
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, n))) return false;
  return factors_ok(factors, n) && residual_ok(c, n);
}

// Scratch of a thread: a row of results, unless they are the output, then what kernels use, then copies of rows.
inline Bytes row_scratch(const OpContext& c, const MapConvShape& s) {
  return writes_map(c) ? (Bytes(static_cast<uint64_t>(s.row_floats())) * Bytes(sizeof(float))).aligned() : Bytes(0);
}
inline bool set_map_conv_scratch(const OpContext& c, const MapConvShape& s, size_t* scratch) {
  return set_scratch(scratch, row_scratch(c, s) + Bytes(kernels::kMapConvScratch) +
                                  Bytes(static_cast<uint64_t>(s.w.rows.kernel)) * line_bytes(s.w, s.lines));
}

// Rows are copied once for each row of the kernel, at most.
inline uint64_t copied_bytes(const MapConvShape& s) {
  const Bytes bytes = line_bytes(s.w, s.lines) * Bytes(static_cast<uint64_t>(s.w.rows.kernel));
  return bytes.possible() ? steps_of(bytes.value(), s.rows_out()) : 0;  // prepare refuses the impossible
}

// The rows of a kernel that lie inside the map, for one row of outputs.
struct KernelRows {
  size_t first, count;
  const uint8_t* src[kernels::kMostMapRows];
  kernels::RowScale scales[kernels::kMostMapRows];

  KernelRows(const Map& map, const Window& w, int64_t image, int64_t row, MapLines* lines) {
    const WindowSpan inside = span_inside(w.rows, row);
    first = static_cast<size_t>(inside.first);
    count = static_cast<size_t>(inside.last - inside.first);
    for (size_t i = 0; i < count; ++i) {
      const int64_t r = w.rows.first(row) + static_cast<int64_t>(first + i) * w.rows.dilation;
      src[i] = lines->line(image, r);
      scales[i] = map.scale(image * w.rows.size + r);
    }
  }
};

// Calls sums(kernels, rows, clamp, dst, scratch) for each row of outputs: sums, biases and clamp of float [columns.out, n] at dst; scratch is the kernels'.
template <class Sums>
ert_status run_map_conv(const OpContext& c, const MapConvShape& s, const Sums& sums) {
  const Map x = {input(c, mcv::kQ), input(c, mcv::kScales)};
  const Map residual = {input(c, mcv::kResidual), input(c, mcv::kResidualScales)};
  const Map to = {output(c, mcv::kMap), output(c, mcv::kMapScales)};
  const bool adds = residual.q.present(), map = writes_map(c);
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const int32_t activation = c.ints[mcv::kActivation];
  const kernels::Clamp clamp = clamp_of(activation);
  const float *factors = floats_or_null(input(c, mcv::kFactors)),
              *residual_factors = floats_or_null(input(c, mcv::kResidualFactors));
  const int64_t row_floats = s.row_floats();
  const size_t kernels_at = row_scratch(c, s).value(), lines_at = kernels_at + kernels::kMapConvScratch;
  for_blocks(c, s.rows_out(), row_floats * s.w.positions(), 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    uint8_t* const scratch = c.scratch + c.scratch_stride * thread;
    MapLines lines(x, s.w, s.lines, scratch + lines_at);
    for (int64_t r = begin; r < end; ++r) {
      float* dst = map ? scratch_floats(c, thread) : to.q.mut<float>() + r * row_floats;
      const int32_t at = static_cast<int32_t>(r), image = at / s.w.rows.out;  // 64 bits are a call on small cores
      const KernelRows rows(x, s.w, image, at - image * s.w.rows.out, &lines);
      sums(k, rows, adds ? kernels::Clamp::kNone : clamp, dst, scratch + kernels_at);
      if (adds) residual.restore_row(k, r, residual_factors, dst, true, clamp);
      if (clamp == kernels::Clamp::kNone) activate_in_place(c, activation, row_floats, dst);
      if (map) to.quantize_row(k, r, dst, factors, clamp);
    }
  });
  return ERT_OK;
}

}  // namespace ert::ops
