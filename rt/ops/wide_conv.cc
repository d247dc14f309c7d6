// WideConv: a convolution of 12-bit weights over rows of 13 bits: what DirectConv computes in fp32, by exact integer sums of each row of the kernel. It
// reads fp32 and writes fp32; rows are quantized when the first line of outputs meets them.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/base/limits.h"
#include "rt/ops/conv_activation.h"
#include "rt/ops/linear_parts.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/wide_rows.h"

namespace ert {
namespace {
namespace wide_conv_op {

using namespace ops;
namespace wide = params::wide_conv;
namespace direct = params::direct_conv;

bool read(const OpContext& c, WideShape* s) {
  const Operand& x = input(c, wide::kX);
  Window& w = s->w;
  if (!read_window(c, wide::kFirstWindowInt, x, output(c, 0), &w) || c.n_ints != window_ints_end(wide::kFirstWindowInt, x))
    return false;
  if (w.channels < 1 || w.out_channels < 1) return false;
  if (x.rank == 3) {
    const WindowAxis one = w.rows;
    w.rows = w.columns;
    w.columns = one;
  }
  // So that sizes of rows fit 64 bits.
  if (w.columns.dilation > params::kMaxExactDepth || w.rows.dilation > params::kMaxExactDepth) return false;
  const bool whole = w.columns.dilation == 1;
  s->run = whole ? int64_t{w.columns.kernel} * w.channels : w.channels;
  s->taps = whole ? 1 : w.columns.kernel;
  s->columns = LineShape::of(w, w.columns.kernel);
  s->lines = kWideOutputs / w.columns.out;
  if (s->lines > w.rows.out) s->lines = w.rows.out;
  if (s->lines < 1) s->lines = 1;
  // Many short lines may take more than the few long ones that a context's memory was planned for: as many as there is room for.
  if (c.scratch_stride != 0)
    while (s->lines > 1 && !s->fits(c.scratch_stride)) --s->lines;
  return true;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {wide::kScale + 1, wide::kInputCount}, {1, 1}, {wide::kFirstWindowInt, wide::kMostInts}, {0, direct::kFloatCount}))
    return false;
  const Operand &w = input(c, wide::kWeights), &scale = input(c, wide::kScale), &bias = input(c, wide::kBias);
  WideShape s;
  if (!is_f32(input(c, wide::kX)) || !is_f32(output(c, 0)) || !activation_and_floats_ok(c, c.ints[wide::kActivation], 1)) return false;
  if (!read(c, &s)) return false;
  // The kernel fits the rows that are held: sizes that are multiples of theirs do not wrap either.
  const Bytes held = s.bytes();
  if (!held.possible() || uint64_t{held.value()} > limits::kMaxTensorBytes || s.depth() > params::kMaxExactDepth) return false;
  const int64_t n = s.w.out_channels;
  if (w.dtype != params::kPackedN16K2 || !w.constant || !aligned(w, ERT_BLOB_ALIGN) || w.rank != 2) return false;
  if (w.dims[0] != n || w.dims[1] != s.depth() || !is_f32(scale) || !is_vector(scale, n)) return false;
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, n))) return false;
  return set_scratch(scratch, s.bytes());
}

uint64_t macs(const OpContext& c) {
  return static_cast<uint64_t>(output(c, 0).elements()) * static_cast<uint64_t>(input(c, wide::kWeights).dims[1]);
}

// However threads share lines of outputs: each quantizes or moves what it reaches, which for some lines is no more than for each of them alone. Rows
// between lines count where several are computed at once; of one line the stride may be any number.
uint64_t further_steps(const OpContext& c) {
  WideShape s;
  if (!read(c, &s)) return 0;
  const int64_t rows = s.lines < 2 || s.reach() > s.w.rows.stride ? s.reach() : s.w.rows.stride;
  const Bytes bytes = Bytes(static_cast<uint64_t>(rows)) * s.row_bytes();
  return bytes.possible() ? steps_of(bytes.value(), int64_t{s.w.batch} * s.w.rows.out) : 0;  // prepare refuses the impossible
}

ert_status run(const OpContext& c) {
  WideShape s;
  if (!read(c, &s)) return ERT_ERR_MODEL;  // prepare has accepted it
  const Window& w = s.w;
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const int32_t activation = c.ints[wide::kActivation];
  const kernels::Clamp clamp = clamp_of(activation);
  const int32_t behind = clamp == kernels::Clamp::kNone ? activation : params::linear::kNoActivation;
  const float least = c.n_floats > direct::kLeast ? c.floats[direct::kLeast] : kNoLeast;
  const int64_t filters = w.out_channels, line_floats = w.columns.out * filters, line_values = s.lines < 2 ? 0 : w.rows.stride * s.row_values();
  const bool one_column = w.columns.out == 1;  // then outputs of a tile come from several lines
  kernels::WideArgs a = {};
  a.filters = static_cast<size_t>(filters);
  a.rows = static_cast<size_t>(w.rows.kernel);
  a.taps = static_cast<size_t>(s.taps);
  a.run = static_cast<size_t>(s.run);
  // Steps that are never taken may be any numbers, which pointers do not hold on 32 bits.
  a.src_row = w.rows.kernel < 2 ? 0 : static_cast<ptrdiff_t>(w.rows.dilation * s.row_values());
  a.src_tap = s.taps < 2 ? 0 : static_cast<ptrdiff_t>(int64_t{w.columns.dilation} * w.channels);
  a.scale_row = w.rows.dilation;
  a.w = {input(c, wide::kWeights).as<int8_t>(), input(c, wide::kScale).as<float>(), nullptr, floats_or_null(input(c, wide::kBias)),
         kernels::Layout::kN16K2};
  a.clamp = clamp;
  const auto quantize = kernels::linear_kernels(*c.kernels, kernels::Precision::kW12A13, kernels::Layout::kN16K2).quantize_rows;
  for_blocks(c, int64_t{w.batch} * w.rows.out, line_floats < kParallelElements ? line_floats * s.run : line_floats, 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    WideRows rows(s, input(c, wide::kX).as<float>(), quantize, c.scratch + c.scratch_stride * thread);
    for (int64_t line = begin, lines; line < end; line += lines) {
      const int64_t image = line / w.rows.out, at = line % w.rows.out;
      lines = s.lines < end - line ? s.lines : end - line;
      if (lines > w.rows.out - at) lines = w.rows.out - at;
      rows.move_to(image, at, lines);
      kernels::WideArgs part = a;
      part.src = rows.rows() + s.columns.first * w.channels;
      part.scales = rows.scales();
      part.dst = output(c, 0).mut<float>() + line * line_floats;
      part.dst_stride = static_cast<ptrdiff_t>(filters);
      part.lines = part.outputs = 1;
      if (one_column) {
        part.outputs = static_cast<size_t>(lines);
        part.src_step = static_cast<ptrdiff_t>(line_values);
        part.scale_step = w.rows.stride;
      } else {
        part.lines = static_cast<size_t>(lines);
        part.outputs = static_cast<size_t>(w.columns.out);
        part.src_line = static_cast<ptrdiff_t>(line_values);
        part.scale_line = w.rows.stride;
        part.src_step = static_cast<ptrdiff_t>(int64_t{w.columns.stride} * w.channels);
        part.dst_line = static_cast<ptrdiff_t>(line_floats);
      }
      k.wide(part);
      activate_in_place(c, behind, lines * line_floats, part.dst, least);
    }
  });
  return ERT_OK;
}

}  // namespace wide_conv_op
}  // namespace

const OpDef kOpWideConv = {"WideConv", wide_conv_op::prepare, wide_conv_op::run, wide_conv_op::macs, 0, 0, 1, wide_conv_op::further_steps};

}  // namespace ert
