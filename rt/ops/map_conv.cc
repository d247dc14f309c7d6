// MapConv: a convolution over an 8-bit map, whose rows are read where they lie or as padded copies. Nothing of the size of a map is ever in memory in fp32.
#include "rt/ops/linear_parts.h"
#include "rt/ops/map_conv_rows.h"
#include "rt/ops/op_defs.h"

namespace ert {
namespace {
namespace map_conv_op {

using namespace ops;

bool read(const OpContext& c, MapConvShape* s) {
  return read_map_conv(
             c, [](int64_t taps) { return taps; }, s) &&
         s->w.columns.dilation == 1;
}

int64_t depth_of(const MapConvShape& s) { return int64_t{s.w.columns.kernel} * s.w.channels; }
int64_t columns_of(const MapConvShape& s) {
  return static_cast<int64_t>(kernels::map_columns(static_cast<size_t>(s.w.out_channels)));
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {mcv::kColsum + 1, mcv::kInputCount}, {1, 2}, {mcv::kIntCount, mcv::kIntCount}, {0, mcv::kFloatCount}))
    return false;
  MapConvShape s;
  const Operand& w = input(c, mcv::kWeights);
  if (input(c, mcv::kQ).rank != 4 || !read(c, &s)) return false;
  const int64_t depth = depth_of(s), columns = s.w.rows.kernel * columns_of(s);
  if (!params::is_int8_layout(w.dtype) || !w.constant || !aligned(w, ERT_BLOB_ALIGN)) return false;
  if (depth > params::kMaxExactDepth || w.rank != 2 || w.dims[0] != columns || w.dims[1] != depth) return false;
  return map_conv_operands_ok(c, s, columns) && set_map_conv_scratch(c, s, scratch);
}

uint64_t macs(const OpContext& c) {
  MapConvShape s;
  if (!read(c, &s)) return 0;
  return static_cast<uint64_t>(s.rows_out() * s.row_floats()) * static_cast<uint64_t>(s.w.rows.kernel * depth_of(s));
}

uint64_t further_steps(const OpContext& c) {
  MapConvShape s;
  return read(c, &s) ? copied_bytes(s) : 0;
}

ert_status run(const OpContext& c) {
  MapConvShape s;
  if (!read(c, &s)) return ERT_ERR_MODEL;  // prepare has accepted it
  const Operand& w = input(c, mcv::kWeights);
  const kernels::Layout layout = params::kernel_layout(w.dtype);
  const size_t depth = static_cast<size_t>(depth_of(s)), columns = static_cast<size_t>(columns_of(s));
  const size_t step = static_cast<size_t>(int64_t{s.w.columns.out > 1 ? s.w.columns.stride : 0} * s.w.channels);
  const kernels::PackedWeights of_first = {w.as<int8_t>(), input(c, mcv::kScale).as<float>(), input(c, mcv::kColsum).as<int32_t>(),
                                           floats_or_null(input(c, mcv::kBias)), layout};
  return run_map_conv(c, s, {false, of_first, kernels::packed_bytes(layout, columns, depth), columns, depth, 0, step});
}

}  // namespace map_conv_op
}  // namespace

const OpDef kOpMapConv = {
    "MapConv", map_conv_op::prepare,      map_conv_op::run, map_conv_op::macs, 1u << params::map_conv::kResidual, 0,
    1,         map_conv_op::further_steps};

}  // namespace ert
