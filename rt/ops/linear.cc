// Linear: activation(x * W + bias). Rows are quantized once, a fixed number at a time, so that scratch does not grow with
// the rows; work is split by row blocks when there are enough rows, otherwise by weight panels. Every output element is
// computed whole inside one task, so the split cannot change a bit. Of two Linears in a row the first quantizes for the second
// (handed_rows.h), and a LayerNorm behind runs on each block of rows (row_norm.h): the same values by the same kernels, only earlier.
#include <string.h>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/handed_rows.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/row_norm.h"

namespace ert {
namespace {

using namespace ops;
namespace lin = params::linear;

constexpr int64_t kBlockRows = 32;       // rows quantized at a time per thread
constexpr int64_t kFarBlockRows = 128;   // the same where weights lie behind a core's caches: every block fetches them again
constexpr int64_t kPanelColumns = 16;    // of N16K4; whole panels of the other layouts too
constexpr int64_t kGroupColumns = 1536;  // an activation follows each such group, whose outputs are then still in a near cache
// Fewer rows per thread than this: split the weights instead. More of them where the weights lie behind a core's caches: each
// thread would have to fetch all.
constexpr int64_t kRowsWorthSplitting = 6, kRowsWorthFetchingTwice = 12;
constexpr int64_t kFarWeights = 1 << 20;
constexpr double kParallelMacs = 65536.0;  // below this, waking threads costs more than it gains

struct Shape {
  int64_t m, n, k;
};

Shape shape_of(const OpContext& c) {
  const Operand& x = input(c, lin::kX);
  const int64_t k = x.dims[x.rank - 1];
  const Operand& out = output(c, 0);
  return {x.elements() / k, out.dims[out.rank - 1], k};
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t most_block_rows(const Shape& s) { return s.n * s.k >= kFarWeights ? kFarBlockRows : kBlockRows; }

// Rows that a thread quantizes at a time, at most; also for runs of fewer rows than s.m.
int64_t scratch_rows(const Shape& s, int64_t threads) {
  const int64_t share = ceil_div(s.m, threads < 1 ? 1 : threads);
  const int64_t rows = share < kBlockRows ? kBlockRows : share < most_block_rows(s) ? share : most_block_rows(s);
  return s.m < rows ? s.m : rows;
}

bool aligned(const Operand& o, uintptr_t alignment) { return reinterpret_cast<uintptr_t>(o.data) % alignment == 0; }

bool quantized_operands_ok(const OpContext& c, int64_t n, int64_t k) {
  const Operand &w = input(c, lin::kWeights), &scale = input(c, lin::kScale), &colsum = input(c, lin::kColsum);
  const Operand& smooth = input(c, lin::kInvSmooth);
  if (!params::is_known_layout(w.dtype) || !w.constant || !aligned(w, ERT_BLOB_ALIGN)) return false;
  if (w.rank != 2 || w.dims[0] != n || w.dims[1] != k || k > params::kMaxExactDepth) return false;
  if (!is_f32(scale) || !is_vector(scale, n)) return false;
  if (!is_i32(colsum) || !is_vector(colsum, n)) return false;
  return !smooth.present() || (is_f32(smooth) && is_vector(smooth, k));
}

bool float_operands_ok(const OpContext& c, int64_t n, int64_t k) {
  const Operand& w = input(c, lin::kWeights);
  if (!is_f32(w) || w.rank != 2 || w.dims[0] != k || w.dims[1] != n) return false;
  return !input(c, lin::kScale).present() && !input(c, lin::kColsum).present() && !input(c, lin::kInvSmooth).present();
}

bool parameters_ok(const OpContext& c) {
  const int32_t precision = c.ints[lin::kPrecision], activation = c.ints[lin::kActivation];
  if (precision != lin::kInt8 && precision != lin::kF32 && precision != lin::kInt8A16) return false;
  return activation >= lin::kNoActivation && activation < static_cast<int32_t>(kernels::Unary::kCount);
}

bool x_and_out_ok(const Operand& x, const Operand& out) {
  if (!is_f32(x) || !is_f32(out) || x.rank < 1 || x.rank != out.rank) return false;
  for (int i = 0; i + 1 < x.rank; ++i) {
    if (x.dims[i] != out.dims[i]) return false;
  }
  return x.dims[x.rank - 1] >= 1 && out.dims[out.rank - 1] >= 1;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, lin::kInputCount}, {1, 1}, {lin::kIntCount, lin::kIntCount}, {0, 0})) return false;
  if (!parameters_ok(c) || !x_and_out_ok(input(c, lin::kX), output(c, 0))) return false;
  const Shape s = shape_of(c);
  const Operand& bias = input(c, lin::kBias);
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, s.n))) return false;
  const int32_t precision = c.ints[lin::kPrecision];
  if (precision == lin::kF32) return float_operands_ok(c, s.n, s.k);
  if (!quantized_operands_ok(c, s.n, s.k)) return false;
  return set_scratch(scratch,
                     Bytes(static_cast<uint64_t>(scratch_rows(s, c.parallel.threads))) *
                         Bytes(kernels::max_quantized_row_bytes(lin::kernel_precision(precision), static_cast<size_t>(s.k)) +
                               sizeof(kernels::RowScale)));
}

uint64_t macs(const OpContext& c) {
  const Shape s = shape_of(c);
  return static_cast<uint64_t>(s.m) * static_cast<uint64_t>(s.n) * static_cast<uint64_t>(s.k);
}

// How the work is split.
struct Split {
  int64_t threads;
  bool by_columns;
  int64_t block_rows;  // of one task otherwise: even blocks of at most most_block_rows, and as many as keep all threads busy
};

Split split_of(const Shape& s, int64_t threads) {
  const bool small = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) < kParallelMacs;
  if (small || threads < 1) threads = 1;
  const int64_t worth_splitting = s.n * s.k >= kFarWeights ? kRowsWorthFetchingTwice : kRowsWorthSplitting;
  const bool by_columns = threads > 1 && s.m <= kBlockRows && s.m < threads * worth_splitting && s.n > kPanelColumns;
  const int64_t blocks = ceil_div(ceil_div(s.m, most_block_rows(s)), threads) * threads;
  const int64_t rows = ceil_div(s.m, blocks);
  return {threads, by_columns, rows < 1 ? 1 : rows};
}

// Where a Linear of shape s leaves its result for an int8 Linear, if it does.
HandedRows handed_rows(const OpContext& c, const Shape& s, const Operand& result) {
  const Split split = split_of(s, c.parallel.threads);
  if (split.by_columns) return {};
  const size_t row_bytes = c.kernels->row_bytes[kernels::Precision::kW8A8](static_cast<size_t>(s.n));
  return place_handed_rows(result.mut<void>(), s.m, s.n, row_bytes, split.block_rows, split.threads);
}

// One Linear at run time, and the steps that tasks compose.
struct Job {
  const OpContext& c;
  Shape s;
  const float* x;
  float* dst;
  const float* bias;
  int32_t precision, activation;
  kernels::LinearKernels quantized;  // unless precision is kF32
  kernels::Layout layout;
  size_t row_bytes;
  int64_t block_rows, group_columns;  // of one task
  HandedRows from, to;                // x and the result, where the Linear before or behind is paired with this one

  uint8_t* rows_of(uint32_t thread) const { return c.scratch + c.scratch_stride * thread; }
  kernels::RowScale* scales_of(uint32_t thread) const {
    return static_cast<kernels::RowScale*>(
        static_cast<void*>(rows_of(thread) + static_cast<size_t>(scratch_rows(s, c.parallel.threads)) * row_bytes));
  }

  void quantize(int64_t row, int64_t rows, uint32_t thread) const {
    if (precision == lin::kF32) return;
    if (from.rows != nullptr) {
      for (int64_t i = 0; i < rows; ++i)
        memcpy(scales_of(thread) + i, from.row(row + i) + from.row_bytes, sizeof(kernels::RowScale));
      return;
    }
    const Operand& smooth = input(c, lin::kInvSmooth);
    quantized.quantize_rows(static_cast<size_t>(rows), static_cast<size_t>(s.k), x + row * s.k, s.k,
                            smooth.present() ? smooth.as<float>() : nullptr, rows_of(thread), row_bytes, scales_of(thread));
  }

  // Columns [column, column + columns) of the rows that `thread` quantized last; row is the first of them, out its first result.
  void multiply(int64_t row, int64_t rows, int64_t column, int64_t columns, float* out, uint32_t thread) const {
    const size_t m = static_cast<size_t>(rows), n = static_cast<size_t>(columns), k = static_cast<size_t>(s.k);
    const float* column_bias = bias ? bias + column : nullptr;
    const Operand& w = input(c, lin::kWeights);
    if (precision == lin::kF32) {
      c.kernels->gemm_f32(m, n, k, x + row * s.k, s.k, 1, w.as<float>() + column, s.n, column_bias, out, s.n);
    } else {
      const kernels::PackedWeights packed = {w.as<int8_t>() + kernels::packed_bytes(layout, static_cast<size_t>(column), k),
                                             input(c, lin::kScale).as<float>() + column,
                                             input(c, lin::kColsum).as<int32_t>() + column, column_bias, layout};
      const uint8_t* lhs = from.rows != nullptr ? from.row(row) : rows_of(thread);
      quantized.gemm({m, n, k, lhs, from.rows != nullptr ? from.stride : row_bytes, scales_of(thread), packed, out,
                      static_cast<ptrdiff_t>(s.n)});
    }
  }

  void multiply_and_activate(int64_t row, int64_t rows, int64_t first, int64_t last, uint32_t thread) const {
    float* out = dst + row * s.n;
    if (activation == lin::kNoActivation) return multiply(row, rows, first, last - first, out + first, thread);
    const auto activate = c.kernels->unary[activation];
    for (int64_t column = first; column < last; column += kGroupColumns) {
      const int64_t columns = last - column < kGroupColumns ? last - column : kGroupColumns;
      multiply(row, rows, column, columns, out + column, thread);
      for (int64_t i = 0; i < rows; ++i) activate(static_cast<size_t>(columns), out + i * s.n + column, out + i * s.n + column);
    }
  }

  void multiply_and_hand_over(int64_t row, int64_t rows, uint32_t thread) const {
    float* out = to.fp32_rows(row, thread);
    multiply(row, rows, 0, s.n, out, thread);
    const size_t n = static_cast<size_t>(s.n);
    const bool gelu = activation == static_cast<int32_t>(kernels::Unary::kGeluCoarse);
    for (int64_t i = 0; i < rows; ++i, out += s.n) {
      kernels::RowScale scale;
      if (gelu) {
        c.kernels->gelu_quantize_rows(1, n, out, s.n, c.pair.inv_smooth, to.row(row + i), to.row_bytes, &scale);
      } else {
        if (activation != lin::kNoActivation) c.kernels->unary[activation](n, out, out);
        c.kernels->quantize_rows[kernels::Precision::kW8A8](1, n, out, s.n, c.pair.inv_smooth, to.row(row + i), to.row_bytes,
                                                            &scale);
      }
      memcpy(to.row(row + i) + to.row_bytes, &scale, sizeof(scale));
    }
  }
};

void row_block_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t row = j.block_rows * index;
  const int64_t rows = j.s.m - row < j.block_rows ? j.s.m - row : j.block_rows;
  j.quantize(row, rows, thread);
  if (j.to.rows != nullptr) return j.multiply_and_hand_over(row, rows, thread);
  j.multiply_and_activate(row, rows, 0, j.s.n, thread);
  if (j.c.pair.norm != nullptr) j.c.pair.norm->rows(*j.c.kernels, row, row + rows);
}

// Every task quantizes the few rows again: that is faster than to wait for one thread and fetch its result.
void column_group_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t first = j.group_columns * index;
  const int64_t last = j.s.n - first < j.group_columns ? j.s.n : first + j.group_columns;
  j.quantize(0, j.s.m, thread);
  j.multiply_and_activate(0, j.s.m, first, last, thread);
}

ert_status run(const OpContext& c) {
  const Shape s = shape_of(c);
  if (s.m == 0) return ERT_OK;
  const Operand& bias = input(c, lin::kBias);
  const int32_t precision = c.ints[lin::kPrecision];
  Job job = {c,
             s,
             input(c, lin::kX).as<float>(),
             output(c, 0).mut<float>(),
             bias.present() ? bias.as<float>() : nullptr,
             precision,
             c.ints[lin::kActivation],
             {},
             {},
             0,
             0,
             0,
             {},
             {}};
  if (precision != lin::kF32) {
    const size_t k = static_cast<size_t>(s.k);
    job.layout = params::kernel_layout(input(c, lin::kWeights).dtype);
    job.quantized = kernels::linear_kernels(*c.kernels, lin::kernel_precision(precision), job.layout);
    job.row_bytes = job.quantized.row_bytes(k);
  }
  if (c.pair.producer_depth != 0) job.from = handed_rows(c, {s.m, s.k, c.pair.producer_depth}, input(c, lin::kX));
  if (c.pair.hands_over) job.to = handed_rows(c, s, output(c, 0));
  const Split split = split_of(s, c.parallel.threads);
  if (split.by_columns) {
    job.group_columns = ceil_div(ceil_div(s.n, split.threads), kPanelColumns) * kPanelColumns;
    c.parallel(static_cast<uint32_t>(ceil_div(s.n, job.group_columns)), column_group_task, &job);
  } else {
    job.block_rows = split.block_rows;
    if (c.pair.norm != nullptr) *c.pair.norm_done = true;
    const uint32_t blocks = static_cast<uint32_t>(ceil_div(s.m, job.block_rows));
    if (split.threads > 1) {
      c.parallel(blocks, row_block_task, &job);
    } else {
      for (uint32_t i = 0; i < blocks; ++i) row_block_task(&job, i, 0);
    }
  }
  return ERT_OK;
}

}  // namespace

const OpDef kOpLinear = {"Linear", prepare, run, macs, 0};

}  // namespace ert
