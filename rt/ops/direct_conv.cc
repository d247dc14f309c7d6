// DirectConv: a Conv in fp32 that reads its map in place, of either layout: no patches are gathered, and an image needs no Transpose. What lies in
// the padding is left out. Its product would be zero, and a sum that begins with +0 stays the same with it.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/ops/conv_activation.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/window.h"

namespace ert {
namespace {
namespace direct_conv_op {

using namespace ops;
namespace direct = params::direct_conv;

// Of x, in floats.
struct Layout {
  int64_t map, row, column, channel;
  int64_t first;  // where the channels begin that are read
};

// Sets w->channels to those that the weights have, which are all of x or some.
bool read_channels(const OpContext& c, uint32_t window_end, Window* w, int64_t* first) {
  const int64_t depth = input(c, direct::kWeights).dims[0], positions = w->positions(), all = w->channels;
  const int64_t own = c.n_ints == window_end ? all : depth / positions;
  *first = c.n_ints == window_end ? 0 : c.ints[window_end];
  w->channels = static_cast<int32_t>(own);
  if (c.n_ints != window_end && (c.n_ints != window_end + 1 || *first < 0 || own >= all || *first > all - own)) return false;
  return own >= 1 && own * positions == depth;
}

bool read(const OpContext& c, Window* w, Layout* l) {
  Operand x = input(c, direct::kX);
  const int32_t first = c.ints[direct::kChannelsFirst];
  if (first != 0 && first != 1) return false;
  if (x.rank != 3 && x.rank != 4) return false;
  if (first != 0) {
    const int32_t channels = x.dims[1];
    for (int i = 1; i + 1 < x.rank; ++i) x.dims[i] = x.dims[i + 1];
    x.dims[x.rank - 1] = channels;
  }
  if (!read_window(c, direct::kFirstWindowInt, x, output(c, 0), w)) return false;
  const int64_t columns = w->columns.size, places = w->rows.size * columns;
  *l = {w->map_elements(), columns, 1, places, 0};
  if (first == 0) *l = {l->map, w->row_elements(), w->channels, 1, 0};
  int64_t channel = 0;
  const bool ok = read_channels(c, window_ints_end(direct::kFirstWindowInt, x), w, &channel);
  l->first = channel * l->channel;
  return ok;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, direct::kInputCount}, {1, 1}, {direct::kFirstWindowInt, direct::kMostInts}, {0, direct::kFloatCount}))
    return false;
  const Operand &w = input(c, direct::kWeights), &bias = input(c, direct::kBias);
  Window window;
  Layout layout;
  if (!is_f32(input(c, direct::kX)) || !is_f32(output(c, 0)) || !activation_and_floats_ok(c, c.ints[direct::kActivation], 1))
    return false;
  if (!is_f32(w) || w.rank != 2 || !read(c, &window, &layout) || window.out_channels < 1 || w.dims[1] != window.out_channels) return false;
  return !bias.present() || (is_f32(bias) && is_vector(bias, window.out_channels));
}

uint64_t macs(const OpContext& c) {
  return static_cast<uint64_t>(output(c, 0).elements()) * static_cast<uint64_t>(input(c, direct::kWeights).dims[0]);
}

// Outputs [o, last) of a row: neighbours that meet the same taps at once. a.dst is that of output o.
void run_part(const kernels::ConvKernels& k, const Window& w, const Layout& l, const float* map, int64_t row, int64_t o,
              int64_t last, kernels::DirectArgs a) {
  const WindowSpan in_rows = span_inside(w.rows, row);
  const int64_t filters = w.out_channels, tap_weights = w.channels * filters;
  const float* weights = a.weights + int64_t{in_rows.first} * w.columns.kernel * tap_weights;
  while (o < last) {
    const WindowSpan taps = span_inside(w.columns, o);
    int64_t end = taps.last - taps.first == w.columns.kernel ? end_of_whole(w.columns, o) : o + 1;
    if (end > last) end = last;
    a.taps = static_cast<size_t>(taps.last - taps.first);
    a.rows = a.taps == 0 ? 0 : static_cast<size_t>(in_rows.last - in_rows.first);
    a.outputs = static_cast<size_t>(end - o);
    a.channels = static_cast<size_t>(w.channels);
    // Steps that are never taken may be any numbers, which pointers do not hold on 32 bits.
    a.src_row = a.rows < 2 ? 0 : static_cast<ptrdiff_t>(w.rows.dilation * l.row);
    a.src_tap = a.taps < 2 ? 0 : static_cast<ptrdiff_t>(w.columns.dilation * l.column);
    a.src_step = a.outputs < 2 ? 0 : static_cast<ptrdiff_t>(w.columns.stride * l.column);
    a.weights = weights + taps.first * tap_weights;
    a.src = map;
    if (a.rows != 0)  // else nothing is read
      a.src += (w.rows.first(row) + int64_t{in_rows.first} * w.rows.dilation) * l.row +
               (w.columns.first(o) + int64_t{taps.first} * w.columns.dilation) * l.column;
    if (a.src_tap == w.channels * l.channel) {  // taps side by side are one long one
      a.channels *= a.taps;
      a.taps = 1;
    }
    k.direct(a);
    a.dst += (end - o) * filters;
    o = end;
  }
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, direct::kX), &bias = input(c, direct::kBias), &out = output(c, 0);
  Window w;
  Layout layout;
  if (!read(c, &w, &layout)) return ERT_ERR_MODEL;  // prepare has accepted it
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const int32_t activation = c.ints[direct::kActivation];
  const kernels::Clamp clamp = clamp_of(activation);
  const int32_t behind = clamp == kernels::Clamp::kNone ? activation : params::linear::kNoActivation;
  const float least = c.n_floats > direct::kLeast ? c.floats[direct::kLeast] : kNoLeast;
  const int64_t filters = w.out_channels, row_outputs = w.columns.out;
  kernels::DirectArgs a = {};
  a.filters = static_cast<size_t>(filters);
  a.src_channel = static_cast<ptrdiff_t>(layout.channel);
  a.weights = input(c, direct::kWeights).as<float>();
  a.weights_row = w.columns.kernel * w.channels * filters;
  a.bias = bias.present() ? bias.as<float>() : nullptr;
  a.clamp = clamp;
  constexpr int64_t kLanes = 16, kTile = 8;
  const int64_t work = filters * w.positions() / kLanes * w.channels;
  for_blocks(c, w.outputs(), work, kTile, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end;) {
      const int64_t line = i / row_outputs, o = i % row_outputs, last = end - i < row_outputs - o ? o + end - i : row_outputs;
      kernels::DirectArgs row = a;
      row.dst = out.mut<float>() + i * filters;
      run_part(k, w, layout, x.as<float>() + layout.first + line / w.rows.out * layout.map, line % w.rows.out, o, last, row);
      activate_in_place(c, behind, (last - o) * filters, row.dst, least);
      i += last - o;
    }
  });
  return ERT_OK;
}

}  // namespace direct_conv_op
}  // namespace

const OpDef kOpDirectConv = {"DirectConv", direct_conv_op::prepare, direct_conv_op::run, direct_conv_op::macs, 0};

}  // namespace ert
