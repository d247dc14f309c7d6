// MapDepthwiseConv: a depthwise convolution over an 8-bit map, as MapConv; its weights are taps side by side in N16K4.
#include "rt/ops/linear_parts.h"
#include "rt/ops/map_conv_rows.h"
#include "rt/ops/op_defs.h"

namespace ert {
namespace {
namespace map_depthwise_conv_op {

using namespace ops;

bool read(const OpContext& c, MapConvShape* s) {
  const auto fours = [](int64_t taps) {
    return static_cast<int64_t>(kernels::round_up(static_cast<size_t>(taps), kernels::line_depth(kernels::Layout::kN16K4)));
  };
  return read_map_conv(c, fours, s) && s->w.columns.kernel <= mcv::kMostTaps && s->w.out_channels == s->w.channels;
}

int64_t columns_of(const MapConvShape& s) {
  return static_cast<int64_t>(kernels::map_columns(static_cast<size_t>(s.w.channels)));
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {mcv::kColsum + 1, mcv::kInputCount}, {1, 2}, {mcv::kIntCount, mcv::kIntCount}, {0, mcv::kFloatCount}))
    return false;
  MapConvShape s;
  const Operand& w = input(c, mcv::kWeights);
  if (input(c, mcv::kQ).rank != 4 || !read(c, &s)) return false;
  const int64_t columns = s.w.rows.kernel * columns_of(s);
  if (w.dtype != params::kPackedN16K4 || !w.constant || !aligned(w, ERT_BLOB_ALIGN)) return false;
  if (w.rank != 2 || w.dims[0] != columns || w.dims[1] != s.w.columns.kernel) return false;
  return map_conv_operands_ok(c, s, columns) && set_map_conv_scratch(c, s, scratch);
}

uint64_t macs(const OpContext& c) {
  MapConvShape s;
  if (!read(c, &s)) return 0;
  return static_cast<uint64_t>(s.rows_out() * s.row_floats()) * static_cast<uint64_t>(s.w.positions());
}

uint64_t further_steps(const OpContext& c) {
  MapConvShape s;
  return read(c, &s) ? copied_bytes(s) : 0;
}

ert_status run(const OpContext& c) {
  MapConvShape s;
  if (!read(c, &s)) return ERT_ERR_MODEL;  // prepare has accepted it
  const WindowAxis& axis = s.w.columns;
  const size_t channels = static_cast<size_t>(s.w.channels), columns = static_cast<size_t>(columns_of(s));
  const size_t taps = static_cast<size_t>(axis.kernel), matrix = kernels::packed_bytes(kernels::Layout::kN16K4, columns, taps);
  // Steps that are never taken may be any numbers, which pointers do not hold on 32 bits.
  const size_t tap = channels * static_cast<size_t>(axis.kernel > 1 ? axis.dilation : 1);
  const size_t step = channels * static_cast<size_t>(axis.out > 1 ? axis.stride : 0);
  const kernels::PackedWeights of_first = {input(c, mcv::kWeights).as<int8_t>(), input(c, mcv::kScale).as<float>(),
                                           input(c, mcv::kColsum).as<int32_t>(), floats_or_null(input(c, mcv::kBias)), kernels::Layout::kN16K4};
  return run_map_conv(c, s, {true, of_first, matrix, columns, taps, tap, step});
}

}  // namespace map_depthwise_conv_op
}  // namespace

const OpDef kOpMapDepthwiseConv = {"MapDepthwiseConv",
                                   map_depthwise_conv_op::prepare,
                                   map_depthwise_conv_op::run,
                                   map_depthwise_conv_op::macs,
                                   1u << params::map_conv::kResidual,
                                   0,
                                   1,
                                   map_depthwise_conv_op::further_steps};

}  // namespace ert
