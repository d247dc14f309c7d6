// Conv: a Linear over the patches of a map, which are gathered a few at a time. Nothing of the size of all patches is ever in memory:
// each thread has the quantized rows of one block, and of the patches in fp32 only as many as it quantizes at once. Patches that
// stand in the map as they are, as those of one spatial axis do, are quantized from there.
#include "rt/ops/linear_parts.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/patches.h"

namespace ert {
namespace {

using namespace ops;
namespace lin = params::linear;
namespace cnv = params::conv;

constexpr int64_t kNearRows = 16 << 10;     // bytes of a block of quantized rows, which every group of columns reads again
constexpr int64_t kNearPatches = 16 << 10;  // bytes of the patches that are gathered at once
constexpr int64_t kLeastBlockRows = 8;      // fewer would fetch the weights too often

int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

bool has_weights(const OpContext& c) { return input(c, lin::kWeights).present(); }

struct Geometry {
  Window w;
  ProductShape s;  // n of values without weights: k
};

bool read_geometry(const OpContext& c, Geometry* g) {
  const Operand &x = input(c, lin::kX), &out = output(c, 0);
  if (!read_window(c, cnv::kWindow, x, out, &g->w) || c.n_ints != window_ints_end(cnv::kWindow, x)) return false;
  const int64_t first = c.ints[cnv::kFirstChannel], channels = c.ints[cnv::kChannels];
  if (first < 0 || channels < 1 || first + channels > g->w.channels || g->w.out_channels < 1) return false;
  g->s = {g->w.outputs(), g->w.out_channels, g->w.positions() * channels};
  return true;
}

// Rows of a block, at most.
int64_t conv_block_rows(const ProductShape& s, int64_t threads) {
  const int64_t share = ceil_div(s.m, threads < 1 ? 1 : threads);
  const int64_t near = clamped(kNearRows / (2 * s.k), kLeastBlockRows, kBlockRows);
  const int64_t most = s.n * s.k >= kFarWeights ? clamped(share, near, kFarBlockRows) : near;
  return s.m < most ? s.m : most;
}

int64_t gathered_rows(const ProductShape& s, int64_t least, int64_t most) {
  return clamped(kNearPatches / (static_cast<int64_t>(sizeof(float)) * s.k), least, most);
}

// What one thread has of a block: quantized rows, their scales, and gathered patches.
struct Room {
  int64_t rows, gathered;
  Bytes quantized, scales, patches;
};

Room room_of(const ProductShape& s, int32_t precision, int64_t threads) {
  Room r = {conv_block_rows(s, threads), 0, 0, 0, 0};
  const uint64_t k = static_cast<uint64_t>(s.k);
  if (precision == lin::kF32) {
    r.rows = s.m < kBlockRows ? s.m : kBlockRows;
    r.gathered = gathered_rows(s, kLeastBlockRows, r.rows);
    r.rows = r.gathered;
  } else {
    const uint64_t rows = static_cast<uint64_t>(r.rows);
    r.gathered = gathered_rows(s, 1, r.rows);
    r.quantized = Bytes(rows) * Bytes(kernels::max_quantized_row_bytes(lin::kernel_precision(precision), static_cast<size_t>(k)));
    r.scales = (Bytes(rows) * Bytes(sizeof(kernels::RowScale))).aligned();
  }
  r.patches = Bytes(static_cast<uint64_t>(r.gathered)) * Bytes(k) * Bytes(sizeof(float));
  return r;
}

// Without weights the patches themselves are the output.
bool prepare_copy(const OpContext& c, const Geometry& g) {
  for (uint32_t i = lin::kX + 1; i < c.n_inputs; ++i) {
    if (c.inputs[i].present()) return false;
  }
  return c.ints[cnv::kPrecision] == lin::kF32 && c.ints[cnv::kActivation] == lin::kNoActivation && g.s.n == g.s.k;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  constexpr uint32_t kMostInts = cnv::kWindow + params::window::kMostAxes * params::window::kAxisInts;
  if (!check_counts(c, {1, lin::kInputCount}, {1, 1}, {cnv::kWindow, kMostInts}, {0, 0})) return false;
  const Operand &x = input(c, lin::kX), &bias = input(c, lin::kBias);
  Geometry g;
  if (!is_f32(x) || !is_f32(output(c, 0)) || !precision_and_activation_ok(c) || !read_geometry(c, &g)) return false;
  if (!has_weights(c)) return prepare_copy(c, g);
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, g.s.n))) return false;
  const int32_t precision = c.ints[cnv::kPrecision];
  const bool ok = precision == lin::kF32 ? float_operands_ok(c, g.s.n, g.s.k) : quantized_operands_ok(c, g.s.n, g.s.k);
  if (!ok) return false;
  const Room r = room_of(g.s, precision, c.parallel.threads);
  return set_scratch(scratch, r.quantized + r.scales + r.patches);
}

uint64_t macs(const OpContext& c) {
  Geometry g;
  if (!has_weights(c) || !read_geometry(c, &g)) return 0;
  return static_cast<uint64_t>(g.s.m) * static_cast<uint64_t>(g.s.n) * static_cast<uint64_t>(g.s.k);
}

struct Job {
  const OpContext& c;
  ProductShape s;
  Patches<float> patches;
  Product product;
  Room room;
  float* dst;
  int64_t block_rows, group_columns;  // of one task

  uint8_t* rows_of(uint32_t thread) const { return c.scratch + c.scratch_stride * thread; }
  kernels::RowScale* scales_of(uint32_t thread) const {
    return static_cast<kernels::RowScale*>(static_cast<void*>(rows_of(thread) + room.quantized.value()));
  }
  float* gathered(uint32_t thread) const {
    return static_cast<float*>(static_cast<void*>(rows_of(thread) + (room.quantized + room.scales).value()));
  }

  // Calls use(first, count, src, stride) for runs of the patches [row, row + rows).
  template <class Use>
  void each_run(int64_t row, int64_t rows, uint32_t thread, const Use& use) const {
    const bool in_place = patches.some_in_place();
    for (int64_t i = 0, n; i < rows; i += n) {
      const float* src = nullptr;
      n = in_place ? patches.in_place(row + i, rows - i, &src) : 0;
      if (n > 0) {
        use(i, n, src, patches.in_place_stride());
      } else {
        n = in_place ? 1 : rows - i < room.gathered ? rows - i : room.gathered;
        patches.gather(row + i, n, gathered(thread));
        use(i, n, gathered(thread), s.k);
      }
    }
  }

  void activate(int64_t rows, int64_t first, int64_t columns, float* out) const {
    if (product.activation == lin::kNoActivation) return;
    const auto function = c.kernels->unary[product.activation];
    if (columns == s.n) return function(static_cast<size_t>(rows * columns), out, out);
    for (int64_t i = 0; i < rows; ++i) function(static_cast<size_t>(columns), out + i * s.n + first, out + i * s.n + first);
  }

  // Columns [first, last) of the rows of one block.
  void block(int64_t row, int64_t rows, int64_t first, int64_t last, uint32_t thread) const {
    float* out = dst + row * s.n;
    if (product.precision == lin::kF32) {
      each_run(row, rows, thread, [&](int64_t i, int64_t n, const float* src, int64_t stride) {
        product.multiply_f32(n, first, last - first, src, stride, out + i * s.n + first);
      });
      return activate(rows, first, last - first, out);
    }
    each_run(row, rows, thread, [&](int64_t i, int64_t n, const float* src, int64_t stride) {
      product.quantized.quantize_rows(static_cast<size_t>(n), static_cast<size_t>(s.k), src, stride, product.inv_smooth(),
                                      rows_of(thread) + static_cast<size_t>(i) * product.row_bytes, product.row_bytes,
                                      scales_of(thread) + i);
    });
    for (int64_t column = first; column < last; column += kGroupColumns) {
      const int64_t columns = last - column < kGroupColumns ? last - column : kGroupColumns;
      product.multiply_quantized(rows, column, columns, rows_of(thread), product.row_bytes, scales_of(thread), out + column);
      activate(rows, column, columns, out);
    }
  }
};

void conv_block_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t row = j.block_rows * index;
  j.block(row, j.s.m - row < j.block_rows ? j.s.m - row : j.block_rows, 0, j.s.n, thread);
}

// Every task quantizes the few rows again: that is faster than to wait for one thread and fetch its result.
void conv_columns_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t first = j.group_columns * index;
  const int64_t last = j.s.n - first < j.group_columns ? j.s.n : first + j.group_columns;
  for (int64_t row = 0; row < j.s.m; row += j.room.rows)
    j.block(row, j.s.m - row < j.room.rows ? j.s.m - row : j.room.rows, first, last, thread);
}

void conv_copy_task(void* arg, uint32_t index, uint32_t) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t row = j.block_rows * index;
  j.patches.gather(row, j.s.m - row < j.block_rows ? j.s.m - row : j.block_rows, j.dst + row * j.s.k);
}

ert_status run(const OpContext& c) {
  Geometry g;
  if (!read_geometry(c, &g)) return ERT_ERR_MODEL;  // prepare has accepted it
  if (g.s.m == 0) return ERT_OK;
  const int32_t precision = c.ints[cnv::kPrecision];
  Job job = {c,
             g.s,
             {g.w, input(c, lin::kX).as<float>(), c.ints[cnv::kFirstChannel], c.ints[cnv::kChannels]},
             has_weights(c) ? Product::of(c, g.s) : Product{c, g.s, nullptr, precision, lin::kNoActivation, {}, {}, 0},
             room_of(g.s, precision, c.parallel.threads),
             output(c, 0).mut<float>(),
             0,
             0};
  const RowSplit split = split_of(g.s, c.parallel.threads);
  if (has_weights(c) && split.by_columns) {
    job.group_columns = ceil_div(ceil_div(g.s.n, split.threads), kPanelColumns) * kPanelColumns;
    c.parallel(static_cast<uint32_t>(ceil_div(g.s.n, job.group_columns)), conv_columns_task, &job);
    return ERT_OK;
  }
  job.block_rows = ceil_div(g.s.m, ceil_div(ceil_div(g.s.m, job.room.rows), split.threads) * split.threads);
  const uint32_t blocks = static_cast<uint32_t>(ceil_div(g.s.m, job.block_rows));
  if (split.threads > 1) {
    c.parallel(blocks, has_weights(c) ? conv_block_task : conv_copy_task, &job);
    return ERT_OK;
  }
  // Called by name: the bound of the stack follows calls.
  for (uint32_t i = 0; i < blocks; ++i) {
    if (has_weights(c)) {
      conv_block_task(&job, i, 0);
    } else {
      conv_copy_task(&job, i, 0);
    }
  }
  return ERT_OK;
}

}  // namespace

const OpDef kOpConv = {"Conv", prepare, run, macs, 0};

}  // namespace ert
