// MapMaxPool: the largest value under a window. Rows have ranges of their own, so values are compared, not what is stored; within a row the two are the same.
#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/window.h"

namespace ert {
namespace {
namespace map_max_pool_op {

using namespace ops;
namespace mp = params::map_max_pool;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {mp::kInputCount, mp::kInputCount}, {2, 2}, {mp::kIntCount, mp::kIntCount}, {0, 0})) return false;
  const Operand &q = input(c, mp::kQ), &out = output(c, 0);
  Window w;
  if (!is_map(q, input(c, mp::kScales)) || !is_map(out, output(c, 1)) || out.dims[3] != q.dims[3]) return false;
  if (!read_window(c, mp::kFirstWindowInt, q, out, &w) || !inside_everywhere(w.rows) || !inside_everywhere(w.columns))
    return false;
  const Bytes row = Bytes(static_cast<uint64_t>(out.dims[2])) * Bytes(static_cast<uint64_t>(out.dims[3]));
  return set_scratch(scratch, (row * Bytes(sizeof(float))).aligned() + row.aligned());
}

uint64_t further_steps(const OpContext& c) {
  Window w;
  if (!read_window(c, mp::kFirstWindowInt, input(c, mp::kQ), output(c, 0), &w)) return 0;
  return steps_of(static_cast<uint64_t>(w.positions()), output(c, 0).elements());
}

// The largest q of each output in one row of the map.
void largest_of_row(const Window& w, const uint8_t* row, uint8_t* to) {
  const int64_t channels = w.channels;
  for (int64_t o = 0; o < w.columns.out; ++o, to += channels) {
    const WindowSpan taps = span_inside(w.columns, o);
    const uint8_t* src = row + (w.columns.first(o) + int64_t{taps.first} * w.columns.dilation) * channels;
    memcpy(to, src, static_cast<size_t>(channels));
    for (int32_t j = taps.first + 1; j < taps.last; ++j) {
      src += w.columns.dilation * channels;
      for (int64_t i = 0; i < channels; ++i) to[i] = src[i] > to[i] ? src[i] : to[i];
    }
  }
}

ert_status run(const OpContext& c) {
  const Map x = {input(c, mp::kQ), input(c, mp::kScales)}, to = {output(c, 0), output(c, 1)};
  Window w;
  if (!read_window(c, mp::kFirstWindowInt, x.q, to.q, &w)) return ERT_ERR_MODEL;  // prepare has accepted it
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const int64_t row_elements = to.row_bytes();
  for_blocks(c, to.rows(), row_elements * w.positions(), 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    float* values = scratch_floats(c, thread);
    uint8_t* largest = static_cast<uint8_t*>(static_cast<void*>(values)) +
                       (Bytes(static_cast<uint64_t>(row_elements)) * Bytes(sizeof(float))).aligned().value();
    for (int64_t r = begin; r < end; ++r) {
      const int64_t image = r / w.rows.out, row = r % w.rows.out;
      const WindowSpan rows = span_inside(w.rows, row);
      for (int32_t i = rows.first; i < rows.last; ++i) {
        const int64_t from = image * w.rows.size + w.rows.first(row) + int64_t{i} * w.rows.dilation;
        largest_of_row(w, x.row(from), largest);
        const kernels::RowScale s = x.scale(from);
        for (int64_t e = 0; e < row_elements; ++e) {
          const float v = times(static_cast<float>(largest[e] - s.zero_point), s.scale);
          if (i == rows.first || less(values[e], v) || is_nan(v)) values[e] = v;
        }
      }
      to.quantize_row(k, r, values, nullptr);
    }
  });
  return ERT_OK;
}

}  // namespace map_max_pool_op
}  // namespace

const OpDef kOpMapMaxPool = {
    "MapMaxPool", map_max_pool_op::prepare, map_max_pool_op::run, nullptr, 0, 0, 1, map_max_pool_op::further_steps};

}  // namespace ert
