// DepthwiseConv: every channel has a kernel of its own. Channels lie last, so that neighbouring channels are one vector and the input is read in
// place; what lies in the padding is left out, not added as zeros.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/ops/conv_activation.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/window.h"

namespace ert {
namespace {
namespace depthwise_conv_op {

using namespace ops;
namespace dw = params::depthwise_conv;

// Rows of outputs in one call: all that they read and write is to stay in the second cache.
constexpr int64_t kMostLines = 8;
// Floats of weights of the channels that are done at once: outputs at edges read them anew each, and they are to stay in the first cache.
constexpr int64_t kNearWeights = 4096, kLeastChannels = 64;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, dw::kInputCount}, {1, 1}, {dw::kFirstWindowInt, dw::kMostInts}, {0, 0})) return false;
  const Operand &x = input(c, dw::kX), &w = input(c, dw::kWeights), &bias = input(c, dw::kBias), &out = output(c, 0);
  const int32_t activation = c.ints[dw::kActivation];
  if (activation < dw::kNoActivation || activation >= static_cast<int32_t>(kernels::Unary::kCount)) return false;
  Window window;
  if (!is_f32(x) || !is_f32(out) || !read_window(c, dw::kFirstWindowInt, x, out, &window)) return false;
  if (c.n_ints != window_ints_end(dw::kFirstWindowInt, x) || out.dims[out.rank - 1] != window.channels) return false;
  if (!is_f32(w) || w.rank != 2 || w.dims[0] != window.positions() || w.dims[1] != window.channels) return false;
  return !bias.present() || (is_f32(bias) && is_vector(bias, window.channels));
}

uint64_t macs(const OpContext& c) {
  return static_cast<uint64_t>(output(c, 0).elements()) * static_cast<uint64_t>(input(c, dw::kWeights).dims[0]);
}

// How many rows of outputs from `row` on meet the same rows of the kernel; at most `most`.
int64_t rows_alike(const WindowAxis& rows, int64_t row, int64_t most) {
  const WindowSpan span = span_inside(rows, row);
  int64_t n = 1;
  for (; n < most; ++n) {
    const WindowSpan next = span_inside(rows, row + n);
    if (next.first != span.first || next.last != span.last) break;
  }
  return n;
}

// Rows of outputs of three columns in one call, where every output meets the middle one and none the middle one alone. They are rows_alike().
bool run_rows_of_three(const kernels::ConvKernels& k, const Window& w, const float* image, int64_t row, int64_t lines,
                       const kernels::DepthwiseArgs& a) {
  const WindowAxis& columns = w.columns;
  if (!kFastForms || k.depthwise3 == nullptr || columns.kernel != 3 || w.rows.kernel > 3) return false;
  const WindowSpan rows = span_inside(w.rows, row);
  const int64_t begin = columns.begin, dilation = columns.dilation, stride = columns.stride, outputs = columns.out;
  const int64_t middle_of_last = columns.first(outputs - 1) + dilation;
  if (rows.first == rows.last || begin > dilation || middle_of_last >= columns.size) return false;
  const int64_t before = begin > 0 ? (begin + stride - 1) / stride : 0;
  const int64_t beyond = middle_of_last + dilation - columns.size;  // of the last output's tap 2, behind the last input
  const int64_t behind = beyond >= 0 ? beyond / stride + 1 : 0;
  if (before + behind > outputs) return false;
  const int64_t channels = w.channels;
  const float* src =
      image + (w.rows.first(row) + int64_t{rows.first} * w.rows.dilation) * w.row_elements() + (dilation - begin) * channels;
  const int32_t inside = rows.last - rows.first;
  // Steps that are never taken: see run_row.
  const int64_t next_row = inside < 2 ? 0 : w.rows.dilation * w.row_elements(), next_output = outputs < 2 ? 0 : stride * channels;
  const int64_t next_line = lines < 2 ? 0 : w.rows.stride * w.row_elements();
  k.depthwise3({static_cast<size_t>(lines), static_cast<size_t>(outputs), a.channels, static_cast<size_t>(inside),
                static_cast<size_t>(before), static_cast<size_t>(behind), src, static_cast<ptrdiff_t>(next_row),
                static_cast<ptrdiff_t>(dilation * channels), static_cast<ptrdiff_t>(next_output),
                static_cast<ptrdiff_t>(next_line), a.weights + int64_t{rows.first} * 3 * channels, a.bias, a.dst, a.clamp});
  return true;
}

// One row of outputs: neighbours that meet the same taps at once.
void run_row(const kernels::ConvKernels& k, const Window& w, const float* image, int64_t row, kernels::DepthwiseArgs a) {
  const WindowSpan in_rows = span_inside(w.rows, row);
  const int64_t channels = w.channels;
  const float* weights = a.weights + int64_t{in_rows.first} * w.columns.kernel * channels;
  float* dst = a.dst;
  for (int64_t o = 0; o < w.columns.out;) {
    const WindowSpan taps = span_inside(w.columns, o);
    const int64_t end = taps.last - taps.first == w.columns.kernel ? end_of_whole(w.columns, o) : o + 1;
    a.taps = static_cast<size_t>(taps.last - taps.first);
    a.rows = a.taps == 0 ? 0 : static_cast<size_t>(in_rows.last - in_rows.first);
    a.outputs = static_cast<size_t>(end - o);
    // Steps that are never taken may be any numbers, which pointers do not hold on 32 bits.
    a.src_row = a.rows < 2 ? 0 : static_cast<ptrdiff_t>(w.rows.dilation * w.row_elements());
    a.src_tap = a.taps < 2 ? 0 : static_cast<ptrdiff_t>(w.columns.dilation * channels);
    a.src_step = a.outputs < 2 ? 0 : static_cast<ptrdiff_t>(w.columns.stride * channels);
    a.dst = dst + o * channels;
    a.weights = weights + taps.first * channels;
    a.src = image;
    if (a.rows != 0)  // else nothing is read
      a.src += (w.rows.first(row) + int64_t{in_rows.first} * w.rows.dilation) * w.row_elements() +
               (w.columns.first(o) + int64_t{taps.first} * w.columns.dilation) * channels;
    k.depthwise(a);
    o = end;
  }
}

// Rows [row, row + lines) of outputs, `some` channels at a time.
void run_rows(const kernels::ConvKernels& k, const Window& w, const float* image, int64_t row, int64_t lines, int64_t some,
              const kernels::DepthwiseArgs& a) {
  const int64_t channels = w.channels, row_floats = w.columns.out * channels;
  for (int64_t c = 0; c < channels; c += some) {
    kernels::DepthwiseArgs part = a;
    part.channels = static_cast<size_t>(some < channels - c ? some : channels - c);
    part.weights += c;
    if (part.bias != nullptr) part.bias += c;
    for (int64_t i = 0; i < lines; ++i) {
      part.dst = a.dst + i * row_floats + c;
      run_row(k, w, image + c, row + i, part);
    }
  }
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, dw::kX), &bias = input(c, dw::kBias), &out = output(c, 0);
  Window w;
  if (!read_window(c, dw::kFirstWindowInt, x, out, &w)) return ERT_ERR_MODEL;
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const int32_t activation = c.ints[dw::kActivation];
  const int64_t channels = w.channels, row_floats = w.columns.out * channels;
  kernels::DepthwiseArgs a = {};
  a.channels = a.pixel = static_cast<size_t>(channels);
  a.weights = input(c, dw::kWeights).as<float>();
  a.weights_row = w.columns.kernel * channels;
  a.bias = bias.present() ? bias.as<float>() : nullptr;
  a.clamp = clamp_of(activation);
  const int64_t near = kNearWeights / w.positions() / kLeastChannels * kLeastChannels, some = near > kLeastChannels ? near : kLeastChannels;
  for_blocks(c, int64_t{w.batch} * w.rows.out, row_floats * w.positions(), 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin, lines; i < end; i += lines) {
      const int64_t first = i % w.rows.out, most = w.rows.out - first < end - i ? w.rows.out - first : end - i;
      const float* image = x.as<float>() + i / w.rows.out * w.map_elements();
      kernels::DepthwiseArgs row = a;
      row.dst = out.mut<float>() + i * row_floats;
      lines = kFastForms && k.depthwise3 != nullptr ? rows_alike(w.rows, first, most < kMostLines ? most : kMostLines) : 1;
      if (!run_rows_of_three(k, w, image, first, lines, row)) {
        lines = !kFastForms ? 1 : most < kMostLines ? most : kMostLines;
        run_rows(k, w, image, first, lines, kFastForms ? some : channels, row);
      }
      if (activation != dw::kNoActivation && a.clamp == kernels::Clamp::kNone)
        c.kernels->unary[activation](static_cast<size_t>(lines * row_floats), row.dst, row.dst);
    }
  });
  return ERT_OK;
}

}  // namespace depthwise_conv_op
}  // namespace

const OpDef kOpDepthwiseConv = {"DepthwiseConv", depthwise_conv_op::prepare, depthwise_conv_op::run, depthwise_conv_op::macs, 0};

}  // namespace ert
