// Conv: a Linear over the patches of a map, which are gathered a few at a time. Nothing of the size of all patches is ever in memory:
// each thread has the quantized rows of one block, and of the patches in fp32 only as many as it quantizes at once. Patches that
// stand in the map as they are, as those of one spatial axis do, are quantized from there. With shared columns a rectangle of inputs is
// quantized as one row: every input is then quantized once for each row of the kernel and not once for each position. Levels that have kernels for it
// quantize the rectangle from where it lies in the map and multiply it where it lies in the row; on the others the patches are gathered and copied.
// More than 300 lines, because all these forms share one Job.
#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/ops/conv_activation.h"
#include "rt/ops/conv_group.h"
#include "rt/ops/conv_operands.h"
#include "rt/ops/conv_rectangle.h"
#include "rt/ops/linear_parts.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/patches.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace conv_op {

using namespace ops;

// Without weights the patches themselves are the output.
bool prepare_copy(const OpContext& c, const Geometry& g) {
  for (uint32_t i = lin::kX + 1; i < c.n_inputs; ++i) {
    if (c.inputs[i].present()) return false;
  }
  if (c.ints[cnv::kPrecision] != lin::kF32 || c.ints[cnv::kActivation] != lin::kNoActivation) return false;
  return c.ints[cnv::kSharedColumns] == 0 && g.s.n == g.s.k;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  constexpr uint32_t kMostInts = cnv::kWindow + params::window::kMostAxes * params::window::kAxisInts + 1;
  if (!check_counts(c, {1, lin::kInputCount}, {1, 1}, {cnv::kWindow, kMostInts}, {0, cnv::kFloatCount})) return false;
  const Operand &x = input(c, lin::kX), &bias = input(c, lin::kBias);
  Geometry g;
  if (!is_f32(x) || !is_f32(output(c, 0)) || !precision_ok(c.ints[cnv::kPrecision]) ||
      !activation_and_floats_ok(c, c.ints[cnv::kActivation], 0) || !read_geometry(c, &g))
    return false;
  if (!has_weights(c)) return prepare_copy(c, g);
  const int64_t columns = g.groups * g.group_columns();
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, columns))) return false;
  const int32_t precision = c.ints[cnv::kPrecision];
  const bool ok = precision == lin::kF32 ? float_operands_ok(c, g.s.n, g.s.k)
                                         : quantized_operands_ok(c, columns, g.s.k, g.groups * factors_of_group(c, g));
  if (!ok || !shared_columns_ok(c, g)) return false;
  const Room r = room_of(c, g);
  return set_scratch(scratch, r.quantized + r.scales + r.patches + r.rectangle);
}

uint64_t macs(const OpContext& c) {
  Geometry g;
  if (!has_weights(c) || !read_geometry(c, &g)) return 0;
  return static_cast<uint64_t>(g.s.m) * static_cast<uint64_t>(g.s.n) * static_cast<uint64_t>(g.s.k);
}

// Rectangles may overlap, and be far larger than the patches in them.
uint64_t further_steps(const OpContext& c) {
  Geometry g;
  if (!has_weights(c) || !read_geometry(c, &g) || g.shared == 0) return 0;
  const int64_t rectangles = int64_t{g.w.batch} * g.w.rows.out * g.bands_of_row() * g.groups;  // no more than outputs
  return static_cast<uint64_t>(rectangles) * static_cast<uint64_t>(rectangle_elements(c, g));
}

struct Job {
  const OpContext& c;
  const Geometry& g;
  const ProductShape& s;
  Product product;
  Room room;
  const kernels::ConvKernels* window_kernels;      // see in_place()
  int64_t block_rows, block_bands;  // of one task
  int64_t shares, share;            // columns of the weights, or groups; how many of them one task has
  // A task has one group: weights that lie behind a core's caches would be fetched for every block of rows, those of a group stay.
  bool one_group;

  uint8_t* rows_of(uint32_t thread) const { return c.scratch + c.scratch_stride * thread; }
  kernels::RowScale* scales_of(uint32_t thread) const {
    return static_cast<kernels::RowScale*>(static_cast<void*>(rows_of(thread) + room.quantized.value()));
  }
  // The kernels that read quantized inputs in place, or null: then patches are copied. Cores of profile M have no code for them.
  const kernels::ConvKernels* in_place() const { return kFastForms ? window_kernels : nullptr; }
  float* gathered(uint32_t thread) const {
    return static_cast<float*>(static_cast<void*>(rows_of(thread) + (room.quantized + room.scales).value()));
  }

  // Calls use(first, count, src, stride) for runs of the patches [row, row + rows).
  template <class Use>
  void each_run(const Patches<float>& patches, int64_t row, int64_t rows, uint32_t thread, const Use& use) const {
    const bool in_place = patches.some_in_place(), in_strips = kFastForms && patches.stand_in_strips();
    for (int64_t i = 0, n; i < rows; i += n) {
      const float* src = nullptr;
      n = in_place ? patches.in_place(row + i, rows - i, &src) : 0;
      if (n > 0) {
        use(i, n, src, n < 2 ? s.k : patches.in_place_stride());  // one row has no stride: it may be any number
      } else if (in_strips) {
        n = patches.gather_strip(row + i, rows - i, room.gathered, gathered(thread));
        use(i, n, gathered(thread), int64_t{patches.w.columns.stride} * patches.channels);
      } else {
        n = in_place ? 1 : rows - i < room.gathered ? rows - i : room.gathered;
        patches.gather(row + i, n, gathered(thread));
        use(i, n, gathered(thread), s.k);
      }
    }
  }

  void activate(int64_t rows, int64_t first, int64_t columns, float* out) const {
    if (product.activation == lin::kNoActivation) return;
    if (columns == s.n) return activate_in_place(c, product.activation, rows * columns, out);
    for (int64_t i = 0; i < rows; ++i) activate_in_place(c, product.activation, columns, out + i * s.n + first);
  }

  void smooth(const float* __restrict factors, int64_t channels, int64_t elements, float* __restrict y) const {
    for (const float* end = y + elements; y != end; y += channels) {
      for (int32_t j = 0; j < channels; ++j) y[j] = times(y[j], factors[j]);
    }
  }

  // The rectangle of inputs around `outputs` neighbours, from band `band` of a row on, quantized as one row.
  __attribute__((noinline)) const uint8_t* quantize_rectangle(const ConvGroup& own, int64_t line, int64_t band, int64_t outputs,
                                                              uint32_t thread, kernels::RowScale* scale) const {
    Patches<float> rectangle = own.patches;
    WindowAxis& columns = rectangle.w.columns;
    columns.kernel = static_cast<int32_t>(g.rectangle_columns(outputs));
    columns.stride = static_cast<int32_t>(g.shared * columns.stride);
    columns.dilation = 1;
    columns.out = static_cast<int32_t>(g.bands_of_row());
    uint8_t* from = rows_of(thread) + (room.quantized + room.scales + room.patches).value();
    if (const kernels::ConvKernels* k = in_place()) {
      quantize_in_place(*k, rectangle, {line, band}, own.inv_smooth, from, scale);
      return from;
    }
    rectangle.gather(line * columns.out + band, 1, gathered(thread));
    const size_t elements = static_cast<size_t>(rectangle.depth());
    if (own.inv_smooth != nullptr) smooth(own.inv_smooth, rectangle.channels, rectangle.depth(), gathered(thread));
    product.quantized.quantize_rows(1, elements, gathered(thread), rectangle.depth(), nullptr, from,
                                    product.quantized.row_bytes(elements), scale);
    return from;
  }

  // Products of such a rectangle where it lies: columns [first, last) of outputs from `row` on.
  void multiply_rectangle(const ConvGroup& own, const uint8_t* rectangle, const kernels::RowScale& scale, int64_t outputs,
                          int64_t row, int64_t first, int64_t last) const {
    const int64_t pixel = own.patches.channels, n = last - first;
    float* out = own.dst + row * s.n;
    const kernels::WindowArgs a = {static_cast<size_t>(outputs),
                                   static_cast<size_t>(n),
                                   static_cast<size_t>(g.w.rows.kernel),
                                   static_cast<size_t>(g.w.columns.kernel),
                                   static_cast<size_t>(pixel),
                                   rectangle,
                                   static_cast<size_t>(g.rectangle_columns(outputs) * pixel),
                                   static_cast<size_t>(g.w.columns.dilation * pixel),
                                   static_cast<size_t>(g.w.columns.stride * pixel),
                                   scale,
                                   product.weights_from(own.column + first),
                                   out + first,
                                   static_cast<ptrdiff_t>(s.n),
                                   clamp_of(c.ints[cnv::kActivation])};
    window_kernels->window(a);
    if (a.clamp == kernels::Clamp::kNone && g.groups == 1) activate(outputs, first, n, out);
  }

  // The patches of such a rectangle as rows from `row` on.
  void copy_patches(int64_t channels, const uint8_t* from, const kernels::RowScale& scale, int64_t outputs, int64_t row,
                    uint32_t thread) const {
    // Four values at a multiple of four are bytes of their own on every level (quantized_rows.h), and channels come in fours.
    const int64_t pixel = channels * static_cast<int64_t>(product.quantized.row_bytes(64) / 64);
    const int64_t taps = g.w.columns.dilation == 1 ? 1 : g.w.columns.kernel, piece = pixel * g.w.columns.kernel / taps;
    for (int64_t o = 0; o < outputs; ++o) {
      uint8_t* to = rows_of(thread) + static_cast<size_t>(row + o) * product.row_bytes;
      scales_of(thread)[row + o] = scale;
      for (int64_t i = 0; i < g.w.rows.kernel; ++i) {
        const uint8_t* src = from + (i * g.rectangle_columns(outputs) + o * g.w.columns.stride) * pixel;
        for (int64_t t = 0; t < taps; ++t, to += piece)
          copy_short(src + t * g.w.columns.dilation * pixel, static_cast<size_t>(piece), to);
      }
    }
  }

  // Of outputs in all rows, the first of a band.
  int64_t row_of_band(int64_t band) const {
    const int64_t in_row = g.bands_of_row();
    return band / in_row * g.w.columns.out + band % in_row * g.shared;
  }

  // Bands [band, band + bands) of all rows of outputs; their columns [first, last).
  void shared_block(const ConvGroup& own, int64_t band, int64_t bands, int64_t first, int64_t last, uint32_t thread) const {
    const int64_t in_row = g.bands_of_row(), row = row_of_band(band);
    int64_t rows = 0;
    for (int64_t i = band; i < band + bands; ++i) {
      const int64_t left = g.w.columns.out - i % in_row * g.shared, outputs = left < g.shared ? left : g.shared;
      kernels::RowScale scale;
      const uint8_t* rectangle = quantize_rectangle(own, i / in_row, i % in_row, outputs, thread, &scale);
      if (in_place() != nullptr) {
        multiply_rectangle(own, rectangle, scale, outputs, row + rows, first, last);
      } else {
        copy_patches(own.patches.channels, rectangle, scale, outputs, rows, thread);
      }
      rows += outputs;
    }
    if (in_place() == nullptr) multiply(own, row, rows, first, last, thread);
  }

  // Columns [first, last) of the rows of one block.
  void block(const ConvGroup& own, int64_t row, int64_t rows, int64_t first, int64_t last, uint32_t thread) const {
    float* out = own.dst + row * s.n;
    if (product.precision == lin::kF32) {
      each_run(own.patches, row, rows, thread, [&](int64_t i, int64_t n, const float* src, int64_t stride) {
        product.multiply_f32(n, first, last - first, src, stride, out + i * s.n + first);
      });
      return activate(rows, first, last - first, out);
    }
    each_run(own.patches, row, rows, thread, [&](int64_t i, int64_t n, const float* src, int64_t stride) {
      product.quantized.quantize_rows(static_cast<size_t>(n), static_cast<size_t>(s.k), src, stride, own.inv_smooth,
                                      rows_of(thread) + static_cast<size_t>(i) * product.row_bytes, product.row_bytes,
                                      scales_of(thread) + i);
    });
    multiply(own, row, rows, first, last, thread);
  }

  // The rows that the thread has quantized, the first of which is output `row`.
  __attribute__((noinline)) void multiply(const ConvGroup& own, int64_t row, int64_t rows, int64_t first, int64_t last,
                                          uint32_t thread) const {
    float* out = own.dst + row * s.n;
    for (int64_t column = first; column < last; column += kGroupColumns) {
      const int64_t columns = last - column < kGroupColumns ? last - column : kGroupColumns;
      product.multiply_quantized(rows, own.column + column, columns, rows_of(thread), product.row_bytes, scales_of(thread),
                                 out + column);
      if (g.groups == 1) activate(rows, column, columns, out);
    }
  }

  // Part `index` of all rows: columns [first, last) of one group.
  void part_of(const ConvGroup& own, int64_t index, int64_t first, int64_t last, uint32_t thread) const {
    if (g.shared != 0) {
      const int64_t band = block_bands * index, left = bands() - band;
      return shared_block(own, band, left < block_bands ? left : block_bands, first, last, thread);
    }
    const int64_t row = block_rows * index;
    block(own, row, s.m - row < block_rows ? s.m - row : block_rows, first, last, thread);
  }

  // The same of shares [first, last). Groups have their activation at once.
  void part(int64_t index, int64_t first, int64_t last, uint32_t thread) const {
    if (g.groups == 1) return part_of(ConvGroup::of(c, g, 0), index, first, last, thread);
    const int64_t filters = g.group_filters();
    for (int64_t group = first; group < last; ++group) part_of(ConvGroup::of(c, g, group), index, 0, filters, thread);
    if (in_place() != nullptr && clamp_of(c.ints[cnv::kActivation]) != kernels::Clamp::kNone) return;
    const int64_t row = row_of_part(index), rows = row_of_part(index + 1) - row;
    activate(rows, first * filters, (last - first) * filters, output(c, 0).mut<float>() + row * s.n);
  }
  int64_t row_of_part(int64_t index) const {
    const int64_t row = g.shared != 0 ? row_of_band(block_bands * index) : block_rows * index;
    return row < s.m ? row : s.m;
  }
  int64_t parts() const { return g.shared != 0 ? ceil_div(bands(), block_bands) : ceil_div(s.m, block_rows); }
  int64_t bands() const { return int64_t{g.w.batch} * g.w.rows.out * g.bands_of_row(); }
};

void conv_block_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  if (!j.one_group) return j.part(index, 0, j.shares, thread);
  const int64_t parts = j.parts(), group = index / parts;
  j.part(index - group * parts, group, group + 1, thread);
}

// Every task quantizes the few rows again: that is faster than to wait for one thread and fetch its result.
void conv_columns_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t first = j.share * index;
  const int64_t last = j.shares - first < j.share ? j.shares : first + j.share;
  for (int64_t i = 0, parts = j.parts(); i < parts; ++i) j.part(i, first, last, thread);
}

void conv_copy_task(void* arg, uint32_t index, uint32_t) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t row = j.block_rows * index;
  const ConvGroup all = ConvGroup::of(j.c, j.g, 0);
  all.patches.gather(row, j.s.m - row < j.block_rows ? j.s.m - row : j.block_rows, all.dst + row * j.s.k);
}

ert_status run(const OpContext& c) {
  Geometry g;
  if (!read_geometry(c, &g)) return ERT_ERR_MODEL;  // prepare has accepted it
  if (g.s.m == 0) return ERT_OK;
  const int32_t precision = c.ints[cnv::kPrecision];
  Job job = {c,
             g,
             g.s,
             has_weights(c) ? Product::of(c, g.s) : Product{c, g.s, nullptr, precision, lin::kNoActivation, {}, {}, 0, kernels::Clamp::kNone},
             room_of(c, g),
             nullptr,
             0,
             0,
             g.groups == 1 ? g.s.n : g.groups,
             0,
             g.groups > 1 && g.s.n * g.s.k >= kFarWeights};
  const RowSplit split = split_of(c, g.s);
  const bool by_columns = has_weights(c) && split.by_columns;
  const int64_t shares = by_columns ? 1 : split.threads;
  job.block_rows = ceil_div(g.s.m, ceil_div(ceil_div(g.s.m, job.room.rows), shares) * shares);
  if (c.uneven && !by_columns && split.block_rows < job.block_rows) job.block_rows = split.block_rows;
  if (g.shared != 0) job.block_bands = job.room.rows / g.shared;
  if (kFastForms && g.shared != 0 && job.product.layout == kernels::Layout::kN16K4) {
    const kernels::ConvKernels& of_level = kernels::conv_kernels(c.kernels->isa);
    if (of_level.window != nullptr) job.window_kernels = &of_level;
  }
  if (by_columns) {
    const int64_t least = g.groups == 1 ? kPanelColumns : 1;
    job.share = ceil_div(ceil_div(job.shares, split.threads), least) * least;
    c.parallel(static_cast<uint32_t>(ceil_div(job.shares, job.share)), conv_columns_task, &job);
    return ERT_OK;
  }
  const uint32_t parts = static_cast<uint32_t>(job.parts() * (job.one_group ? g.groups : 1));
  if (split.threads > 1) {
    c.parallel(parts, has_weights(c) ? conv_block_task : conv_copy_task, &job);
    return ERT_OK;
  }
  // Called by name: the bound of the stack follows calls.
  for (uint32_t i = 0; i < parts; ++i) {
    if (has_weights(c)) {
      conv_block_task(&job, i, 0);
    } else {
      conv_copy_task(&job, i, 0);
    }
  }
  return ERT_OK;
}

}  // namespace conv_op
}  // namespace

const OpDef kOpConv = {"Conv", conv_op::prepare, conv_op::run, conv_op::macs, 0, 0, 1, conv_op::further_steps};

}  // namespace ert
