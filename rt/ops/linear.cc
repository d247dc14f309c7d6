// Linear: activation(x * W + bias). Rows are quantized once, a fixed number at a time, so that scratch does not grow with
// the rows; work is split by row blocks when there are enough rows, otherwise by weight panels. Every output element is
// computed whole inside one task, so the split cannot change a bit. Of two Linears in a row the first quantizes for the second
// (handed_rows.h), and a LayerNorm behind runs on each block of rows (row_norm.h): the same values by the same kernels, only earlier.
#include <string.h>

#include "rt/base/limits.h"
#include "rt/ops/handed_rows.h"
#include "rt/ops/linear_parts.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/row_norm.h"

namespace ert {
namespace {
namespace linear_op {

using namespace ops;
namespace lin = params::linear;

ProductShape shape_of(const OpContext& c) {
  const Operand& x = input(c, lin::kX);
  const Operand& out = output(c, 0);
  return {elements_between(x, 0, x.rank - 1), out.dims[out.rank - 1], x.dims[x.rank - 1]};
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
  if (!precision_and_activation_ok(c) || !x_and_out_ok(input(c, lin::kX), output(c, 0))) return false;
  const ProductShape s = shape_of(c);
  const Operand& bias = input(c, lin::kBias);
  if (bias.present() && (!is_f32(bias) || !is_vector(bias, s.n))) return false;
  const int32_t precision = c.ints[lin::kPrecision];
  if (precision == lin::kF32) return float_operands_ok(c, s.n, s.k);
  if (!quantized_operands_ok(c, s.n, s.k, s.k)) return false;
  return set_scratch(scratch,
                     Bytes(static_cast<uint64_t>(most_quantized_rows(s, c.parallel.threads))) *
                         Bytes(kernels::max_quantized_row_bytes(lin::kernel_precision(precision), static_cast<size_t>(s.k)) +
                               sizeof(kernels::RowScale)));
}

uint64_t macs(const OpContext& c) {
  const ProductShape s = shape_of(c);
  return static_cast<uint64_t>(s.m) * static_cast<uint64_t>(s.n) * static_cast<uint64_t>(s.k);
}

// Rows in pairs, where the level's products want them so: fewer would leave half of a pair to do.
constexpr int64_t kLeastRowsInPairs = 3;
bool in_pairs(const ProductShape& s, kernels::QuantizeRowsFn quantize_pairs) {
  return kFastForms && quantize_pairs != nullptr && s.m >= kLeastRowsInPairs;
}
// Of rows that are handed over.
bool handed_in_pairs(const OpContext& c, const ProductShape& s) {
  return in_pairs(s, c.kernels->quantize_pairs[kernels::Precision::kW8A8]);
}

// Where a Linear of shape s leaves its result for an int8 Linear, if it does.
HandedRows handed_rows(const OpContext& c, const ProductShape& s, const Operand& result) {
  const RowSplit split = split_of(c, s, handed_in_pairs(c, s));
  if (split.by_columns) return {};
  const size_t row_bytes = c.kernels->row_bytes[kernels::Precision::kW8A8](static_cast<size_t>(s.n));
  return place_handed_rows(result.mut<void>(), s.m, s.n, row_bytes, split.block_rows, split.threads, handed_in_pairs(c, s));
}

// One Linear at run time, and the steps that tasks compose.
struct Job {
  const OpContext& c;
  const ProductShape& s;
  Product product;
  const float* x;
  float* dst;
  int64_t block_rows;                 // of one task
  HandedRows from, to;                // x and the result, where the Linear before or behind is paired with this one
  bool paired;                        // rows are quantized in pairs

  // A constructor: as an aggregate it would be cleared as a whole first.
  Job(const OpContext& context, const ProductShape& shape)
      : c(context),
        s(shape),
        product(Product::of(context, shape)),
        x(input(context, lin::kX).as<float>()),
        dst(output(context, 0).mut<float>()),
        block_rows(0),
        from(context.pair.producer_depth == 0
                 ? HandedRows{}
                 : handed_rows(context, {shape.m, shape.k, context.pair.producer_depth}, input(context, lin::kX))),
        to(context.pair.hands_over ? handed_rows(context, shape, output(context, 0)) : HandedRows{}),
        paired(product.precision != lin::kF32 && in_pairs(shape, product.quantized.quantize_pairs)) {}

  uint8_t* rows_of(uint32_t thread) const { return c.scratch + c.scratch_stride * thread; }
  kernels::RowScale* scales_of(uint32_t thread) const {
    return static_cast<kernels::RowScale*>(static_cast<void*>(
        rows_of(thread) + static_cast<size_t>(most_quantized_rows(s, c.parallel.threads)) * product.row_bytes));
  }

  void quantize(int64_t row, int64_t rows, uint32_t thread) const {
    if (product.precision == lin::kF32) return;
    if (from.rows != nullptr) {
      for (int64_t i = 0; i < rows; ++i)
        memcpy(scales_of(thread) + i, from.row(row + i) + from.row_bytes, sizeof(kernels::RowScale));
      return;
    }
    const auto quantize_rows = kFastForms && paired ? product.quantized.quantize_pairs : product.quantized.quantize_rows;
    quantize_rows(static_cast<size_t>(rows), static_cast<size_t>(s.k), x + row * s.k, s.k, product.inv_smooth(), rows_of(thread),
                  product.row_bytes, scales_of(thread));
  }

  // Columns [column, column + columns) of the rows that `thread` quantized last; row is the first of them, out its first result.
  void multiply(int64_t row, int64_t rows, int64_t column, int64_t columns, float* out, uint32_t thread) const {
    if (product.precision == lin::kF32) {
      product.multiply_f32(rows, column, columns, x + row * s.k, s.k, out);
    } else {
      const bool taken = from.rows != nullptr;
      product.multiply_quantized(rows, column, columns, taken ? from.row(row) : rows_of(thread),
                                 taken ? from.stride : product.row_bytes, scales_of(thread), out,
                                 taken ? from.in_pairs() && handed_in_pairs(c, s) : paired);
    }
  }

  void multiply_and_activate(int64_t row, int64_t rows, int64_t first, int64_t last, uint32_t thread) const {
    float* out = dst + row * s.n;
    if (product.activation == lin::kNoActivation) return multiply(row, rows, first, last - first, out + first, thread);
    const auto activate = c.kernels->unary[product.activation];
    if (kFastForms && last - first == s.n &&
        s.n <= kGroupColumns) {  // a call for each of many short rows would take as long as its work
      multiply(row, rows, 0, s.n, out, thread);
      return activate(static_cast<size_t>(rows * s.n), out, out);
    }
    for (int64_t column = first; column < last; column += kGroupColumns) {
      const int64_t columns = last - column < kGroupColumns ? last - column : kGroupColumns;
      multiply(row, rows, column, columns, out + column, thread);
      for (int64_t i = 0; i < rows; ++i) activate(static_cast<size_t>(columns), out + i * s.n + column, out + i * s.n + column);
    }
  }

  void multiply_and_hand_over(int64_t row, int64_t rows, uint32_t thread) const {
    float* out = to.fp32_rows(row, thread);
    multiply(row, rows, 0, s.n, out, thread);
    const int64_t together = to.in_pairs() && handed_in_pairs(c, s) ? 2 : 1;
    for (int64_t i = 0; i < rows; i += together, out += together * s.n)
      hand_over(row + i, rows - i < together ? 1 : together, together, out);
  }

  // Some rows of results, those that are quantized together.
  void hand_over(int64_t row, int64_t rows, int64_t together, float* out) const {
    const bool alone = !kFastForms || together == 1;
    const size_t m = static_cast<size_t>(rows), n = static_cast<size_t>(s.n);
    kernels::RowScale scales[kFastForms ? 2 : 1];
    if (product.activation == static_cast<int32_t>(kernels::Unary::kGeluCoarse) && alone) {
      c.kernels->gelu_quantize_rows(m, n, out, s.n, c.pair.inv_smooth, to.row(row), to.row_bytes, scales);
    } else {
      if (product.activation != lin::kNoActivation) c.kernels->unary[product.activation](m * n, out, out);
      const auto quantize = (alone ? c.kernels->quantize_rows : c.kernels->quantize_pairs)[kernels::Precision::kW8A8];
      quantize(m, n, out, s.n, c.pair.inv_smooth, to.row(row), alone ? to.row_bytes : to.stride, scales);
    }
    for (int64_t i = 0; i < rows; ++i) memcpy(to.row(row + i) + to.row_bytes, scales + i, sizeof(scales[i]));
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

// Tasks of columns of all rows, which are few. Every thread quantizes them again: that is faster than to wait for one and fetch its result.
struct ColumnJob {
  const Job& job;
  int64_t panels, tasks, each;                                        // each: panels of a task where a thread has one
  bool quantized[kTasksOfThread > 1 ? limits::kMaxThreads : 1] = {};  // by this thread

  ColumnJob(const Job& j, int64_t threads) : job(j), panels(ceil_div(j.s.n, kPanelColumns)), tasks(threads), each(0) {
    if constexpr (kTasksOfThread > 1) {
      tasks *= tasks_of_thread(j.s.m * j.s.n * j.s.k / threads, kTaskMacs, kTasksOfThread);
      if (tasks > panels) tasks = panels;
    } else {
      each = ceil_div(panels, threads);
      tasks = ceil_div(panels, each);
    }
  }

  // Shares of several tasks are even: longer tasks stand between shorter ones.
  int64_t first_column(int64_t task) const {
    const int64_t column = (kTasksOfThread > 1 ? panels * task / tasks : each * task) * kPanelColumns;
    return column < job.s.n ? column : job.s.n;
  }
};

void column_group_task(void* arg, uint32_t index, uint32_t thread) {
  ColumnJob& c = *static_cast<ColumnJob*>(arg);
  if (kTasksOfThread == 1 || !c.quantized[thread]) c.job.quantize(0, c.job.s.m, thread);
  if (kTasksOfThread > 1) c.quantized[thread] = true;
  c.job.multiply_and_activate(0, c.job.s.m, c.first_column(index), c.first_column(index + 1), thread);
}

ert_status run(const OpContext& c) {
  const ProductShape s = shape_of(c);
  if (s.m == 0) return ERT_OK;
  Job job(c, s);
  // Of rows in fp32 too where rows are handed over: their blocks are those of handed_rows().
  const RowSplit split = split_of(c, s, job.paired || handed_in_pairs(c, s));
  if (split.by_columns) {
    ColumnJob columns(job, split.threads);
    c.parallel(static_cast<uint32_t>(columns.tasks), column_group_task, &columns);
  } else {
    job.block_rows = split.block_rows;
    if (c.pair.norm != nullptr) *c.pair.norm_done = true;
    if (split.threads > 1) {
      c.parallel(static_cast<uint32_t>(ceil_div(s.m, job.block_rows)), row_block_task, &job);
    } else {
      for (uint32_t i = 0; job.block_rows * i < s.m; ++i) row_block_task(&job, i, 0);
    }
  }
  return ERT_OK;
}

}  // namespace linear_op
}  // namespace

const OpDef kOpLinear = {"Linear", linear_op::prepare, linear_op::run, linear_op::macs, 0};

}  // namespace ert
