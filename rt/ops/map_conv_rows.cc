// The rows of MapConv and MapDepthwiseConv, and their checks.
#include "rt/ops/map_conv_rows.h"

#include <string.h>

#include "rt/ops/parallel_blocks.h"

namespace ert::ops {
namespace {

bool residual_ok(const OpContext& c, int64_t n) {
  const Operand &q = input(c, mcv::kResidual), &scales = input(c, mcv::kResidualScales),
                &factors = input(c, mcv::kResidualFactors);
  if (!q.present()) return !scales.present() && !factors.present();
  return is_map(q, scales) && same_shape(q, output(c, mcv::kMap)) && factors_ok(factors, n);
}

Bytes row_scratch(const OpContext& c, const MapConvShape& s) {
  return writes_map(c) ? (Bytes(static_cast<uint64_t>(s.row_floats())) * Bytes(sizeof(float))).aligned() : Bytes(0);
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

// Sums, biases and clamp of float [columns.out, n] at dst; scratch is the kernels'.
void sum_row(const kernels::ConvKernels& k, const MapConvShape& s, const MapConvWeights& weights, const KernelRows& rows, kernels::Clamp clamp,
             float* dst, void* scratch, bool signed_bytes) {
  kernels::PackedWeights w = weights.of_first;
  w.data += rows.first * weights.matrix;
  w.colsum += rows.first * weights.columns;
  const size_t outputs = static_cast<size_t>(s.w.columns.out), n = static_cast<size_t>(s.w.out_channels);
  if (weights.depthwise) {
    k.map_depthwise({outputs, n, rows.count, weights.depth, rows.src, rows.scales, weights.tap, weights.step, w, dst, clamp});
  } else {
    k.map_conv[static_cast<size_t>(w.layout)](
        {outputs, n, rows.count, weights.depth, rows.src, rows.scales, weights.step, w, dst, static_cast<ptrdiff_t>(n), clamp, scratch, signed_bytes});
  }
}

}  // namespace

bool map_conv_operands_ok(const OpContext& c, const MapConvShape& s, int64_t columns) {
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

bool set_map_conv_scratch(const OpContext& c, const MapConvShape& s, size_t* scratch) {
  return set_scratch(scratch, row_scratch(c, s) + Bytes(kernels::kMapConvScratch) +
                                  Bytes(static_cast<uint64_t>(s.w.rows.kernel)) * line_bytes(s.w, s.lines));
}

uint64_t copied_bytes(const MapConvShape& s) {
  const Bytes bytes = line_bytes(s.w, s.lines) * Bytes(static_cast<uint64_t>(s.w.rows.kernel));
  return bytes.possible() ? steps_of(bytes.value(), s.rows_out()) : 0;  // prepare refuses the impossible
}

ert_status run_map_conv(const OpContext& c, const MapConvShape& s, const MapConvWeights& weights) {
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
    if (kFastForms) memset(scratch + kernels_at, 0, sizeof(uint64_t));  // kernels have found out nothing yet
    MapLines lines(x, s.w, s.lines, scratch + lines_at, kFastForms && !weights.depthwise && kernels::reads_signed_maps(c.kernels->isa, weights.of_first.layout));
    for (int64_t r = begin; r < end; ++r) {
      float* dst = map ? scratch_floats(c, thread) : to.q.mut<float>() + r * row_floats;
      const int32_t at = static_cast<int32_t>(r), image = at / s.w.rows.out;  // 64 bits are a call on small cores
      const KernelRows rows(x, s.w, image, at - image * s.w.rows.out, &lines);
      sum_row(k, s, weights, rows, adds ? kernels::Clamp::kNone : clamp, dst, scratch + kernels_at, lines.signed_bytes());
      if (adds) residual.restore_row(k, r, residual_factors, dst, true, clamp);
      if (clamp == kernels::Clamp::kNone) activate_in_place(c, activation, row_floats, dst);
      if (map) to.quantize_row(k, r, dst, factors, clamp);
    }
  });
  return ERT_OK;
}

}  // namespace ert::ops
